// How a worker introduces itself, and what follows from it: what it must refuse.

import { Unsupported, badRequest } from './errors.js';

export class Hello {
  /**
   * @param {string} binding
   * @param {Record<string, string>} versions
   * @param {Record<string, any>} capabilities
   */
  constructor(binding, versions, capabilities) {
    this.binding = binding;
    this.versions = versions;
    this.capabilities = { lacks: [], conventions: {}, ...capabilities };
  }

  /** One of the tasks must be among the worker's. */
  checkTasks(first, ...others) {
    if (![first, ...others].some((task) => this.capabilities.tasks.includes(task))) {
      throw new Unsupported(`task ${first}`);
    }
  }

  /** @param {import('./requests.js').Prepare} request */
  checkPrepare({ graph, settings, serialized }) {
    for (const key of ['device', 'loader', 'variant', 'measure']) {
      if (!this.capabilities[`${key}s`].includes(settings[key])) {
        throw new Unsupported(`${key} ${settings[key]}`);
      }
    }
    if (settings.variant !== 'step' && settings.measure === 'parts') {
      throw new Unsupported(`measure parts of variant ${settings.variant}`); // a step is one call there
    }
    if (serialized !== null) {
      this.checkTasks('infer-serialization');
    } else {
      this.checkTasks('infer-parameters', 'train');
      this.#checkLayers(graph);
    }
  }

  /**
   * What only training needs: inference does without loss and optimizer.
   * @param {import('./graph.js').Graph} graph
   */
  checkTraining({ loss, optimizer }) {
    if (!this.capabilities.losses.includes(loss)) {
      throw new Unsupported(`loss ${loss}`);
    }
    if (!this.capabilities.optimizers.includes(optimizer.type)) {
      throw new Unsupported(`optimizer ${optimizer.type}`);
    }
    this.#checkForms(forms(optimizer.type, optimizer));
    if (optimizer.momentum) {
      this.#checkForms(['sgd.momentum']);
    }
    if (optimizer.weight_decay?.value) {
      this.#checkForms(['weight_decay', ...forms('weight_decay', optimizer.weight_decay)]);
    }
  }

  /**
   * Outputs need no loss.
   * @param {import('./graph.js').Graph} graph
   * @param {boolean} gradients - whether they are wanted too
   */
  checkQuery({ loss }, gradients) {
    const { queries = 'none', losses } = this.capabilities;
    if (queries === 'none') {
      throw new Unsupported('queries');
    }
    if (gradients && queries !== 'gradients') {
      throw new Unsupported('gradients of inputs');
    }
    if (gradients && !losses.includes(loss)) {
      throw new Unsupported(`loss ${loss}`);
    }
  }

  /** @param {string | null} asked */
  formatToRead(asked) {
    return chosenFormat(asked, this.capabilities.reads ?? []);
  }

  /** @param {string | null} asked */
  formatToWrite(asked) {
    const formats = this.capabilities.writes ?? [];
    if (asked === null && formats.length === 0) {
      throw new Unsupported('serialization');
    }
    return chosenFormat(asked, formats);
  }

  /** @param {import('./requests.js').Settings} settings */
  checkTrainingAccuracy({ trainingAccuracy }) {
    if (!this.capabilities.training_accuracies.includes(trainingAccuracy)) {
      throw new Unsupported(`training accuracy ${trainingAccuracy}`);
    }
  }

  /**
   * The conventions of which the graph asks for another form than the binding has, with that which it gets.
   * @param {import('./graph.js').Graph} graph
   * @returns {Record<string, string>}
   */
  departures({ nodes, optimizer }) {
    const { conventions } = this.capabilities;
    const parts = [...nodes.map(({ type, fields }) => [type, fields]), [optimizer.type, optimizer]];
    const asked = parts.flatMap(([type, fields]) =>
      Object.entries(fields).map(([field, form]) => [`${type}.${field}`, form]),
    );
    const others = asked.filter(([key, form]) => key in conventions && conventions[key] !== form);
    return Object.fromEntries(others.map(([key]) => [key, conventions[key]]));
  }

  #checkLayers(graph) {
    for (const { type, fields } of graph.nodes) {
      if (!this.capabilities.layers.includes(type)) {
        throw new Unsupported(`layer ${type}`);
      }
      this.#checkForms(forms(type, fields));
    }
  }

  #checkForms(asked) {
    const lacking = asked.find((form) => this.capabilities.lacks.includes(form));
    if (lacking) {
      throw new Unsupported(lacking);
    }
  }
}

/** The fields that are words or truth values, and numbers of biases, as `lacks` spells them. */
function forms(type, fields) {
  return Object.entries(fields)
    .filter(([key, value]) => key !== 'type' && (typeof value !== 'number' || key === 'biases'))
    .filter(([, value]) => typeof value !== 'object')
    .map(([key, value]) => `${type}.${key}=${value}`);
}

/** What is asked for, or else the only one that there is. */
function chosenFormat(asked, formats) {
  if (asked === null && formats.length !== 1) {
    throw badRequest(`'format' is missing; the worker has ${formats.join(', ')}`);
  }
  const format = asked ?? formats[0];
  if (!formats.includes(format)) {
    throw new Unsupported(`format ${format}`);
  }
  return format;
}
