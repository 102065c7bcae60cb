//! The variables of a graph, by the parameters that they hold.

use crossbind_worker::{HostTensor, Node, Parameter, Result};
use tensorflow::{DataType, Output, Scope, Session, Shape, Variable, ops};

use crate::errors::failure;
use crate::layouts::{native_shape, parameter_to_canonical, parameter_to_native};
use crate::running::run;
use crate::values::{Value, to_i64};

/// A parameter or a moment of one. It has no value before it has been given one.
pub struct Held {
    pub parameter: Parameter,
    pub variable: Variable,
    layer: String,
    given: Output,
}

impl Held {
    pub fn new(scope: &mut Scope, node: &Node, parameter: &Parameter) -> tensorflow::Result<Self> {
        let sizes = native_shape(&node.kind, &parameter.shape).into_iter().map(|size| Some(to_i64(size)));
        let shape = Shape::new(Some(sizes.collect()));
        let given = ops::Placeholder::new().dtype(DataType::Float).shape(shape.clone()).build(scope)?;
        let builder = Variable::builder().initial_value(given.clone()).shape(shape).data_type(DataType::Float);
        let variable = builder.build(scope)?;
        Ok(Self { parameter: parameter.clone(), variable, layer: node.kind.clone(), given: given.into() })
    }

    /// What belongs to the parameter, its gradient for one.
    pub fn to_canonical(&self, value: &Value) -> HostTensor {
        parameter_to_canonical(&self.layer, &value.to_host())
    }
}

/// One variable for each parameter.
pub fn hold<'a>(
    scope: &mut Scope,
    parameters: impl IntoIterator<Item = (&'a Node, &'a Parameter)>,
) -> Result<Vec<Held>> {
    parameters.into_iter().map(|(node, parameter)| Held::new(scope, node, parameter).map_err(failure)).collect()
}

/// Gives each its canonical value.
pub fn load(session: &Session, held: &[Held], value: impl Fn(&Parameter) -> HostTensor) -> Result<()> {
    for each in held {
        let value = Value::from_host(&parameter_to_native(&each.layer, &value(&each.parameter)));
        run(session, [(&each.given, &value)], [], [each.variable.initializer()])?;
    }
    Ok(())
}

/// The canonical value of each.
pub fn read<'a>(session: &Session, held: &'a [Held]) -> Result<Vec<(&'a Parameter, HostTensor)>> {
    if held.is_empty() {
        return Ok(Vec::new()); // TensorFlow refuses a call for nothing
    }
    let values = run(session, [], held.iter().map(|each| each.variable.output()), [])?;
    Ok(held.iter().zip(&values).map(|(each, value)| (&each.parameter, each.to_canonical(value))).collect())
}
