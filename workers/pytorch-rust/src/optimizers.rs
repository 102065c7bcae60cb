//! The optimizers of tch that do what the graph says, and their moments under the protocol's names.

use crossbind_worker::{Error, Graph, Parameter, Result, State, Tensors};
use serde::Deserialize;
use tch::nn::{self, VarStore};
use tch::{Device, TchError, Tensor};

use crate::errors::failure;
use crate::native::OpenOptimizer;
use crate::tensors::{to_host, to_torch};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Recipe {
    Sgd { rate: f64, momentum: f64, weight_decay: WeightDecay },
    Adam { rate: f64, beta1: f64, beta2: f64, epsilon: f64, weight_decay: WeightDecay },
}

#[derive(Deserialize)]
struct WeightDecay {
    value: f64,
    form: Form,
    applies_to: Scope,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Form {
    Coupled,
    Decoupled,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Scope {
    All,
    Weights,
}

impl WeightDecay {
    fn is_decoupled(&self) -> bool {
        self.value != 0.0 && self.form == Form::Decoupled
    }

    fn group(&self, parameter: &Parameter) -> usize {
        if self.applies_to == Scope::All || parameter.role == "weight" { DECAYING } else { SPARED }
    }
}

const DECAYING: usize = 0;
const SPARED: usize = 1;

/// Of the trainable among these parameters.
pub fn build(graph: &Graph, parameters: &[(Parameter, Tensor)], device: Device) -> Result<OpenOptimizer> {
    let recipe: Recipe = graph.read_optimizer()?;
    let (Recipe::Sgd { weight_decay: decay, .. } | Recipe::Adam { weight_decay: decay, .. }) = &recipe;
    let variables = VarStore::new(device);
    let mut is_any_spared = false;
    for (number, (parameter, tensor)) in parameters.iter().enumerate().filter(|(_, (each, _))| each.trainable) {
        let group = decay.group(parameter);
        is_any_spared |= group == SPARED;
        let _ = variables.root().set_group(group).add(&number.to_string(), tensor.shallow_clone(), true);
    }
    let mut built = of(&recipe, &variables)?.map_err(|error| failure(&error.to_string()))?;
    if is_any_spared {
        built.optimizer.set_weight_decay_group(SPARED, 0.0);
    }
    Ok(built)
}

fn of(recipe: &Recipe, variables: &VarStore) -> Result<Result<OpenOptimizer, TchError>> {
    Ok(match recipe {
        // `lacks` of the manifest cannot say it, for Adam has it.
        Recipe::Sgd { weight_decay, .. } if weight_decay.is_decoupled() => {
            return Err(Error::unsupported("weight_decay.form=decoupled"));
        }
        &Recipe::Sgd { rate, momentum, ref weight_decay } => {
            OpenOptimizer::build(nn::sgd(momentum, 0.0, weight_decay.value, false), variables, rate)
        }
        &Recipe::Adam { rate, beta1, beta2, epsilon: eps, ref weight_decay } if weight_decay.is_decoupled() => {
            let config = nn::AdamW { beta1, beta2, wd: weight_decay.value, eps, amsgrad: false };
            OpenOptimizer::build(config, variables, rate)
        }
        &Recipe::Adam { rate, beta1, beta2, epsilon: eps, ref weight_decay } => {
            let config = nn::Adam { beta1, beta2, wd: weight_decay.value, eps, amsgrad: false };
            OpenOptimizer::build(config, variables, rate)
        }
    })
}

/// The moments that an optimizer works on, by their names.
pub struct Moments(Vec<(String, Tensor)>);

impl Moments {
    /// Makes the optimizer as if all steps before the start had been done; moments that are not there are zero.
    pub fn set(
        optimizer: &mut OpenOptimizer,
        graph: &Graph,
        parameters: &[(Parameter, Tensor)],
        start: &State,
    ) -> Result<Self> {
        let recipe: Recipe = graph.read_optimizer()?;
        let mut moments = Vec::new();
        for (parameter, tensor) in parameters.iter().filter(|(parameter, _)| parameter.trainable) {
            let named = |moment: &str| {
                let name = format!("{}.state.{moment}", parameter.name);
                let values = match start.moments.get(&name) {
                    Some(values) => to_torch(values).to_device(tensor.device()),
                    None => tensor.detach().zeros_like(),
                };
                (name, values)
            };
            match recipe {
                Recipe::Sgd { momentum: 0.0, .. } => {}
                Recipe::Sgd { .. } => {
                    let m = named("m");
                    optimizer.set_sgd_state(tensor, &m.1);
                    moments.push(m);
                }
                Recipe::Adam { .. } => {
                    let (m, v) = (named("m"), named("v"));
                    optimizer.set_adam_state(tensor, &m.1, &v.1, start.step - 1);
                    moments.extend([m, v]);
                }
            }
        }
        Ok(Self(moments))
    }

    pub fn export(&self) -> Tensors {
        self.0.iter().map(|(name, tensor)| (name.clone(), to_host(tensor))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbind_worker::HostTensor;
    use serde_json::{Value, json};

    /// A weight of 1 and a bias of 2 after step 3 with gradients of 1, and the moments then; m was 0.5 and v 0.25.
    fn stepped(optimizer: &Value) -> (Vec<f64>, Tensors) {
        let parameter = |name| json!({"name": name, "shape": [1], "role": name, "trainable": true});
        let node = json!({"name": "fc", "type": "linear", "inputs": ["x"], "output": [1], "fields": {},
            "parameters": [parameter("weight"), parameter("bias")]});
        let graph = json!({"version": 1, "inputs": [], "nodes": [node], "loss": {"type": ""}, "optimizer": optimizer});
        let graph: Graph = serde_json::from_value(graph).unwrap();
        let made = |number: f32| Tensor::from_slice(&[number]).set_requires_grad(true);
        let parameters: Vec<_> = graph.parameters().cloned().zip([made(1.0), made(2.0)]).collect();
        let given = |moment, number| {
            let names = ["weight", "bias"].map(|name| format!("{name}.state.{moment}"));
            names.map(|name| (name, HostTensor::from_f32(vec![1], &[number])))
        };
        let moments = given("m", 0.5).into_iter().chain(given("v", 0.25)).collect();
        let start = State { parameters: Tensors::new(), moments, step: 3 };
        let mut open = build(&graph, &parameters, Device::Cpu).unwrap();
        let moments = Moments::set(&mut open, &graph, &parameters, &start).unwrap();
        open.optimizer.backward_step(&(&parameters[0].1 + &parameters[1].1).sum(tch::Kind::Float));
        (parameters.iter().map(|(_, tensor)| tensor.double_value(&[0])).collect(), moments.export())
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} is not {expected:?}");
    }

    fn decay(value: f64, form: &str) -> Value {
        json!({"value": value, "form": form, "applies_to": "weights"})
    }

    #[test]
    fn sgd_goes_on_from_the_given_momentum_and_spares_the_bias() {
        let recipe = json!({"type": "sgd", "rate": 0.1, "momentum": 0.5, "weight_decay": decay(0.2, "coupled")});
        let (parameters, moments) = stepped(&recipe);
        assert_near(&parameters, &[1.0 - 0.1 * (0.25 + 1.2), 2.0 - 0.1 * (0.25 + 1.0)]);
        assert_eq!(moments.keys().collect::<Vec<_>>(), ["bias.state.m", "weight.state.m"]);
        assert_eq!(moments["bias.state.m"].f32s().next(), Some(1.25));
    }

    #[test]
    fn adam_goes_on_from_the_given_moments_and_step() {
        let (m, v): (f64, f64) = (0.5 * 0.5 + 0.5, 0.75 * 0.25 + 0.25);
        let update = 0.1 * (m / (1.0 - 0.125)) / ((v / (1.0 - 0.421_875)).sqrt() + 1e-3);
        for (form, decayed) in [("coupled", 1.0), ("decoupled", 1.0 - 0.1 * 0.2)] {
            let value = if form == "coupled" { 0.0 } else { 0.2 };
            let recipe = json!({"type": "adam", "rate": 0.1, "beta1": 0.5, "beta2": 0.75, "epsilon": 1e-3,
                "epsilon_form": "outside", "weight_decay": decay(value, form)});
            let (parameters, moments) = stepped(&recipe);
            assert_near(&parameters, &[decayed - update, 2.0 - update]);
            assert_eq!(moments["weight.state.v"].f32s().next(), Some(0.4375));
        }
    }
}
