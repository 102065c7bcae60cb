//! The optimizer of the graph, as operations: a training step runs what `update` gives.
//!
//! The crate's variables are ref variables: whoever reads one gets the memory of its value, not a copy. An update that
//! is ready before the backward pass has read the variable changes what the pass reads, and nobody is told. So all
//! updates wait until every gradient is there.

use crossbind_worker::{Error, Graph, Parameter, Result};
use serde::Deserialize;
use tensorflow::train::{ApplyGradientsOptions, ComputeGradientsOptions, GradientDescentOptimizer, Optimizer};
use tensorflow::{Operation, Output, Scope, Variable, ops};

use crate::errors::failure;
use crate::gradients::or_zeros;
use crate::variables::Held;

#[derive(Deserialize)]
pub struct Sgd {
    rate: f32,
    momentum: f32,
    weight_decay: WeightDecay,
}

#[derive(Deserialize)]
struct WeightDecay {
    value: f32,
    applies_to: Extent,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Extent {
    All,
    Weights,
}

/// Whether updates wait for the backward pass. Without it a training is wrong from the second step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    Kept,
    LeftOut,
}

impl Sgd {
    pub fn new(graph: &Graph) -> Result<Self> {
        match graph.optimizer_type() {
            "sgd" => graph.read_optimizer(),
            other => Err(Error::unsupported(format!("optimizer {other}"))),
        }
    }

    pub fn has_momentum(&self) -> bool {
        self.momentum != 0.0
    }

    /// Of the loss with respect to each of these; 0 for those that it does not depend on.
    pub fn gradients(&self, scope: &mut Scope, loss: Output, trained: &[&Held]) -> Result<Vec<Output>> {
        let variables: Vec<Variable> = trained.iter().map(|each| each.variable.clone()).collect();
        let options = ComputeGradientsOptions::default().with_variables(&variables);
        let found = self.descent(scope)?.compute_gradients(scope, loss, options).map_err(failure)?;
        found
            .into_iter()
            .map(|(gradient, variable)| or_zeros(scope, gradient, variable.output()).map_err(failure))
            .collect()
    }

    /// One step along the gradients; `moments` are those of the trained, where there are any.
    pub fn update(
        &self,
        scope: &mut Scope,
        gradients: &[Output],
        trained: &[&Held],
        moments: &[Held],
        barrier: Barrier,
    ) -> Result<Operation> {
        let decayed = gradients.iter().zip(trained).map(|(gradient, each)| self.decayed(scope, gradient, each));
        let decayed = decayed.collect::<tensorflow::Result<Vec<_>>>().map_err(failure)?;
        let mut waiting = match barrier {
            Barrier::Kept => behind(scope, &decayed).map_err(failure)?,
            Barrier::LeftOut => scope.with_no_control_dependencies(),
        };
        if self.has_momentum() {
            return self.apply_momentum(&mut waiting, &decayed, trained, moments).map_err(failure);
        }
        let variables = trained.iter().map(|each| each.variable.clone());
        let pairs: Vec<_> = decayed.into_iter().map(Some).zip(variables).collect();
        let options = ApplyGradientsOptions::default().with_grads_and_vars(&pairs);
        Ok(self.descent(scope)?.apply_gradients(&mut waiting, options).map_err(failure)?.1)
    }

    fn descent(&self, scope: &mut Scope) -> Result<GradientDescentOptimizer> {
        Ok(GradientDescentOptimizer::new(ops::constant(self.rate, scope).map_err(failure)?))
    }

    /// The crate has no such optimizer, but the operation.
    fn apply_momentum(
        &self,
        scope: &mut Scope,
        gradients: &[Output],
        trained: &[&Held],
        moments: &[Held],
    ) -> tensorflow::Result<Operation> {
        let (rate, momentum) = (ops::constant(self.rate, scope)?, ops::constant(self.momentum, scope)?);
        let mut all = ops::NoOp::new();
        for ((gradient, each), moment) in gradients.iter().zip(trained).zip(moments) {
            let [variable, moment] = [&each.variable, &moment.variable].map(|held| held.output().clone());
            let (rate, momentum) = (rate.clone(), momentum.clone());
            all =
                all.add_control_input(ops::apply_momentum(variable, moment, rate, gradient.clone(), momentum, scope)?);
        }
        all.build(scope)
    }

    fn decayed(&self, scope: &mut Scope, gradient: &Output, each: &Held) -> tensorflow::Result<Output> {
        if self.weight_decay.value == 0.0 || !self.weight_decay.takes(&each.parameter) {
            return Ok(gradient.clone());
        }
        let value = ops::constant(self.weight_decay.value, scope)?;
        let decay = ops::mul(each.variable.output().clone(), value, scope)?;
        Ok(ops::add_v2(gradient.clone(), decay, scope)?.into())
    }
}

impl WeightDecay {
    fn takes(&self, parameter: &Parameter) -> bool {
        self.applies_to == Extent::All || parameter.role == "weight"
    }
}

/// Where operations wait for all of these.
fn behind(scope: &mut Scope, outputs: &[Output]) -> tensorflow::Result<Scope> {
    let all = outputs.iter().fold(ops::NoOp::new(), |all, output| all.add_control_input(output.operation.clone()));
    let barrier = all.build(scope)?;
    Ok(scope.with_control_dependencies(&[barrier]))
}
