//! Losses: the mean over the batch, from outputs and targets in the order of the graph.

use crossbind_worker::{Error, Result};
use tch::{Kind, Reduction, Tensor};

pub type Criterion = fn(&Tensor, &[Tensor]) -> Tensor;

pub fn criterion(loss: &str) -> Result<Criterion> {
    match loss {
        "binary_cross_entropy" => Ok(binary_cross_entropy),
        "cross_entropy" => Ok(|outputs, targets| cross_entropy(outputs, &targets[0])),
        "span_cross_entropy" => Ok(span_cross_entropy),
        other => Err(Error::unsupported(format!("loss {other}"))),
    }
}

fn cross_entropy(outputs: &Tensor, label: &Tensor) -> Tensor {
    const NO_IGNORED_LABEL: i64 = -100;
    outputs.cross_entropy_loss::<Tensor>(label, None, Reduction::Mean, NO_IGNORED_LABEL, 0.0)
}

fn binary_cross_entropy(outputs: &Tensor, targets: &[Tensor]) -> Tensor {
    let label = targets[0].to_kind(Kind::Float);
    outputs.select(1, 0).binary_cross_entropy_with_logits::<Tensor>(&label, None, None, Reduction::Mean)
}

/// Half for each end, as people train BERT.
fn span_cross_entropy(outputs: &Tensor, targets: &[Tensor]) -> Tensor {
    let end = |index: usize| cross_entropy(&outputs.select(-1, i64::from(index == 1)), &targets[index]);
    (end(0) + end(1)) / 2.0
}
