// The optimizers of tfjs that do what the graph says, and their moments under the protocol's names.

import { product } from '../sdk/javascript/src/index.js';
import { toNative } from './network.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {any} TfOptimizer
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('./network.js').Network} Network
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/model.js').State} State
 * @typedef {import('../sdk/javascript/src/safetensors.js').Tensor} Tensor
 */

const make = {
  sgd: ({ rate, momentum }) => (momentum ? tf.train.momentum(rate, momentum, false) : tf.train.sgd(rate)),
  adam: ({ rate, beta1, beta2, epsilon }) => tf.train.adam(rate, beta1, beta2, epsilon),
};

/**
 * @param {Graph} graph
 * @param {Network} network
 * @returns {TfOptimizer}
 */
export function buildOptimizer({ optimizer: fields }, network) {
  const optimizer = make[fields.type](fields);
  const { value, form, applies_to: kinds } = fields.weight_decay;
  if (value === 0) {
    return optimizer;
  }
  const decayed = network.trained.filter(({ parameter }) => kinds === 'all' || parameter.role === 'weight');
  return decaying(optimizer, form, value, decayed.map(({ weight }) => weight.read()));
}

/** tfjs has no decay but as a penalty, which would be in the loss that is told, too. */
function decaying(optimizer, form, value, variables) {
  const apply = optimizer.applyGradients.bind(optimizer);
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const coupled = ({ name, tensor }) => ({
    name,
    tensor: byName.has(name) ? tf.add(tensor, tf.mul(byName.get(name), value)) : tensor,
  });
  const shrink = (variable) => variable.assign(tf.mul(variable, 1 - optimizer.learningRate * value));
  optimizer.applyGradients = (gradients) =>
    tf.tidy(() => {
      if (form === 'coupled') {
        apply(gradients.map(coupled));
      } else {
        variables.forEach(shrink);
        apply(gradients);
      }
    });
  return optimizer;
}

/**
 * A step: forward, its gradients, the update.
 * @param {TfOptimizer} optimizer
 * @param {Network} network
 * @param {() => TfTensor} forward - gives the loss
 * @returns {{loss: TfTensor, gradients: Record<string, TfTensor>}} - the gradients by the names of the variables
 */
export function update(optimizer, network, forward) {
  const variables = network.trained.map(({ weight }) => weight.read());
  const { value: loss, grads: gradients } = optimizer.computeGradients(forward, variables);
  optimizer.applyGradients(variables.map(({ name }) => ({ name, tensor: gradients[name] })));
  return { loss, gradients };
}

/** Which moments there are, in the order in which tfjs has them. */
const kindsOf = ({ type, momentum }) => (type === 'adam' ? ['m', 'v'] : ['m'].slice(momentum ? 0 : 1));

/**
 * As if all steps before the start had been done; moments that are not there are zero.
 * @param {TfOptimizer} optimizer
 * @param {Graph} graph
 * @param {Network} network
 * @param {State} start
 */
export async function loadMoments(optimizer, graph, network, { moments, step }) {
  const weights = [{ name: 'iter', tensor: tf.scalar(step - 1, 'int32') }];
  for (const kind of kindsOf(graph.optimizer)) {
    for (const { parameter: { name, shape }, piece, weight } of network.trained) {
      const none = () => ({ data: new Float32Array(product(shape)), shape });
      const tensor = toNative(piece, moments.get(`${name}.state.${kind}`) ?? none());
      weights.push({ name: `${weight.read().name}/${kind}`, tensor });
    }
  }
  await optimizer.setWeights(weights);
  weights.forEach(({ tensor }) => tensor.dispose());
}

/**
 * @param {TfOptimizer} optimizer
 * @param {Graph} graph
 * @param {Network} network
 * @returns {Promise<Map<string, Tensor>>}
 */
export async function exportMoments(optimizer, graph, network) {
  const [iterations, ...kept] = await optimizer.getWeights();
  iterations.tensor.dispose();
  const trained = network.trained.map(({ weight }) => weight);
  const tensors = new Map();
  kindsOf(graph.optimizer).forEach((kind, number) => {
    const found = kept.slice(number * trained.length, (number + 1) * trained.length);
    for (const [name, values] of network.export((weight) => found[trained.indexOf(weight)]?.tensor)) {
      tensors.set(`${name}.state.${kind}`, values);
    }
  });
  return tensors;
}
