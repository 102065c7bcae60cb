// The canonical graph of a model (docs/model-files.md), checked. Fields of layers and of the optimizer stay as they
// came: only the worker that builds them knows which it needs.

import { badRequest } from './errors.js';
import { integer, object, objects, shape, text, texts, truth } from './members.js';

/**
 * @typedef {object} Input
 * @property {string} name
 * @property {number[]} shape - of one sample
 * @property {number | null} entries - of an input of integers: they are below it
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {number[]} shape
 * @property {string} role
 * @property {boolean} trainable
 *
 * @typedef {object} Node
 * @property {string} name
 * @property {string} type
 * @property {string[]} inputs
 * @property {number[]} output - of one sample
 * @property {Record<string, any>} fields
 * @property {Parameter[]} parameters
 */

export class Graph {
  /** @param {{id: string, inputs: Input[], nodes: Node[], loss: string, optimizer: Record<string, any>}} members */
  constructor({ id, inputs, nodes, loss, optimizer }) {
    this.id = id;
    this.inputs = inputs;
    this.nodes = nodes;
    this.loss = loss;
    this.optimizer = optimizer;
  }

  get parameters() {
    return this.nodes.flatMap((node) => node.parameters);
  }

  /** The layer whose output is the model's. */
  get last() {
    return this.nodes[this.nodes.length - 1];
  }

  /** What the data hold beside the inputs. */
  get targets() {
    return this.loss === 'span_cross_entropy' ? ['start', 'end'] : ['label'];
  }

  /** Targets are below it. */
  get classes() {
    return this.loss === 'binary_cross_entropy' ? 2 : this.last.output[0];
  }
}

export function parseGraph(members) {
  const version = integer(members, 'version');
  if (version !== 1) {
    throw badRequest(`the graph has version ${version}, this worker knows version 1`);
  }
  const graph = new Graph({
    id: text(members, 'id'),
    inputs: objects(members, 'inputs').map(parseInput),
    nodes: objects(members, 'nodes').map(parseNode),
    loss: text(object(members, 'loss'), 'type'),
    optimizer: object(members, 'optimizer'),
  });
  text(graph.optimizer, 'type');
  checkOrder(graph);
  return graph;
}

function parseInput(members) {
  const entries = text(members, 'type') === 'integer' ? integer(members, 'entries', 1) : null;
  return { name: text(members, 'name'), shape: shape(members, 'shape'), entries };
}

function parseParameter(members) {
  return {
    name: text(members, 'name'),
    shape: shape(members, 'shape'),
    role: text(members, 'role'),
    trainable: truth(members, 'trainable'),
  };
}

function parseNode(members) {
  return {
    name: text(members, 'name'),
    type: text(members, 'type'),
    inputs: texts(members, 'inputs'),
    output: shape(members, 'output'),
    fields: object(members, 'fields'),
    parameters: objects(members, 'parameters').map(parseParameter),
  };
}

function checkOrder(graph) {
  const known = new Set(graph.inputs.map((input) => input.name));
  for (const node of graph.nodes) {
    if (known.has(node.name) || node.inputs.length === 0 || !node.inputs.every((name) => known.has(name))) {
      throw badRequest(`layer '${node.name}' is there twice or reads what is not before it`);
    }
    known.add(node.name);
  }
  if (graph.nodes.length === 0) {
    throw badRequest('the graph has no layers');
  }
}
