"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.losses import Reduction as Reduction
def absolute_difference(labels: _Any, predictions: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """`|predictions - labels|`. Mirrors `tf.compat.v1.losses.absolute_difference`."""
def add_loss(loss: _Any, loss_collection: _Any = 'losses') -> _Any:
    """Keep a loss while a function is recorded; eagerly nothing is kept. Mirrors `tf.compat.v1.losses.add_loss`."""
def compute_weighted_loss(losses: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """Losses times weights, reduced. Mirrors `tf.compat.v1.losses.compute_weighted_loss`."""
def cosine_distance(labels: _Any, predictions: _Any, axis: _Any = None, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights', dim: _Any = None) -> _Any:
    """One minus the inner product along `axis`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.cosine_distance`."""
def get_losses(scope: _Any = None, loss_collection: _Any = 'losses') -> _Any:
    """The losses that were kept. Mirrors `tf.compat.v1.losses.get_losses`."""
def get_regularization_loss(scope: _Any = None, name: _Any = 'total_regularization_loss') -> _Any:
    """The sum of what regularizers gave; zero if there are none. Mirrors `tf.compat.v1.losses.get_regularization_loss`."""
def get_regularization_losses(scope: _Any = None) -> _Any:
    """What regularizers of variables gave. Mirrors `tf.compat.v1.losses.get_regularization_losses`."""
def get_total_loss(add_regularization_losses: _Any = True, name: _Any = 'total_loss', scope: _Any = None) -> _Any:
    """The sum of all losses that were kept. Mirrors `tf.compat.v1.losses.get_total_loss`."""
def hinge_loss(labels: _Any, logits: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """`max(0, 1 - (2 * labels - 1) * logits)`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.hinge_loss`."""
def huber_loss(labels: _Any, predictions: _Any, weights: _Any = ..., delta: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """Half the square of differences up to `delta`, linear beyond. Mirrors `tf.compat.v1.losses.huber_loss`."""
def log_loss(labels: _Any, predictions: _Any, weights: _Any = ..., epsilon: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The cross entropy of probabilities, which `epsilon` keeps from zero. Mirrors `tf.compat.v1.losses.log_loss`."""
def mean_pairwise_squared_error(labels: _Any, predictions: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses') -> _Any:
    """The mean over pairs within each row of the squared difference between errors."""
def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """`(predictions - labels)**2`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.mean_squared_error`."""
def sigmoid_cross_entropy(multi_class_labels: _Any, logits: _Any, weights: _Any = ..., label_smoothing: _Any = 0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The cross entropy of each class by itself. Mirrors `tf.compat.v1.losses.sigmoid_cross_entropy`."""
def softmax_cross_entropy(onehot_labels: _Any, logits: _Any, weights: _Any = ..., label_smoothing: _Any = 0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The cross entropy of one class out of many. Mirrors `tf.compat.v1.losses.softmax_cross_entropy`."""
def sparse_softmax_cross_entropy(labels: _Any, logits: _Any, weights: _Any = ..., scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The cross entropy of classes given as numbers. Mirrors `tf.compat.v1.losses.sparse_softmax_cross_entropy`."""
