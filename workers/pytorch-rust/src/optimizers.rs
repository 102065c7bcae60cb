//! The optimizers of tch that do what the graph says, and their moments under the protocol's names.

use crossbind_worker::{Error, Graph, Parameter, Result, State, Tensors};
use serde::Deserialize;
use tch::nn::{self, VarStore};
use tch::{Device, TchError, Tensor};

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
    let mut built = of(&recipe, &variables)?.map_err(|error| Error::internal(error.to_string()))?;
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
