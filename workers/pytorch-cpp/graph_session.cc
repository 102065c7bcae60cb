#include "graph_session.h"

namespace crossbind::worker {

Status GraphSession::restore() {
  CB_TRY(TorchSession::restore());
  if (!step_) {
    CB_ASSIGN(auto step, StaticStep::make(job(), module(), device()));
    step_.emplace(std::move(step));
    record_steps();
    CB_TRY(TorchSession::restore());
  }
  step_->restart();
  return {};
}

// Rehearsing trains; whoever calls this restores.
void GraphSession::record_steps() {
  const auto& batches = job().order.front();
  module()->train();
  for (const size_t samples : {batches.front().size(), batches.back().size()}) {
    if (!recordings_.contains(samples)) {
      recordings_.emplace(
          samples,
          record([&] { step_->rewind(); }, [&] { step_->run(static_cast<int64_t>(samples)); }));
    }
  }
}

void GraphSession::begin_epoch(std::span<const BatchIds> batches) {
  batches_ = batches;
  loaded_ = 0;
  module()->train();
}

void GraphSession::load() {
  if (loaded_ == 0) {
    step_->begin(batches_);
  }
  ++loaded_;
}

void GraphSession::backward() {
  recordings_.at(batches_[loaded_ - 1].size())->replay();
}

EpochMetrics GraphSession::end_epoch() {
  return step_->metrics(batches_);
}

protocol::Batch GraphSession::evidence() {
  const BatchIds& ids = batches_[loaded_ - 1];
  return evidence_of(step_->batch(static_cast<int64_t>(ids.size())), ids);
}

}  // namespace crossbind::worker
