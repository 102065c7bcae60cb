// The two ways in which a request ends without being done.

/** The binding lacks a feature, named in the words of the graph: "layer gru". */
export class Unsupported extends Error {}

/** The request failed, with one of the protocol's codes. */
export class Failed extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

export const badRequest = (message) => new Failed('bad_request', message);
export const badInput = (message, options) => new Failed('bad_input', message, options);
export const notFinite = (message) => new Failed('not_finite', message);
