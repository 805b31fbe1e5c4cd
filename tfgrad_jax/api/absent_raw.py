"""Raw operations of TensorFlow that are missing for good: what the error says of each."""

from __future__ import annotations

import re

_REASONS = {
    (
        r"TPU|XlaSparse|SparseCore|^(Infeed|Outfeed|Prelinearize|WorkerHeartbeat|CrossReplicaSum|GlobalIterId)"
        r"|^(Get|Store)Minibatch|^ConvertToCoo|^FilterByLast"
    ): "it is for TPUs alone: JAX needs none of it",
    r"BoostedTrees|^Sdca": "TensorFlow 2.21 trains none of these models any more: use a library for them",
    (
        r"Dataset|Iterator|MemoryCache|SeedGenerator|^(DeleteMultiDevice|GetElementAtIndex|GetOptions|ComputeB"
        r"atchSize|MapDefun|CompressElement|UncompressElement|StatsAggregator|ThreadPool|ExperimentalStats|Exp"
        r"erimentalThread)"
    ): "use tf.data",
    r"^(Collective|Nccl)|^AllToAll$": "use tf.distribute",
    r"^Quantized|^RequantizePerChannel|^RequantizationRangePerChannel": (
        "it is for graphs that TensorFlow has rewritten for oneDNN: call the operations that it joins"
    ),
    r"^UniformQuant|^UniformRequant|^UniformDequant": "use tf.quantization.quantize and dequantize, or integers",
    r"Summary|^ImportEvent": "use tf.summary",
    r"^CudnnRNN": "it is for GPUs alone: use the recurrent layers of tf.keras",
    r"^(SparseMatrix|CSRSparseMatrix)|CSRSparseMatrix$": "use tf.sparse",
    (
        r"Session|^(Send|Recv|Enter|Exit|Switch|Merge|NextIteration|LoopCond|Placeholder|PlaceholderV2|FakePar"
        r"am|Abort)$"
    ): ("it is for graphs that sessions run: call functions, with Python's control flow or tf.cond and tf.while_loop"),
    r"^(I?R?FFTND|Conv2DBackprop(Filter|Input)V2|Segment(Max|Min|Prod|Sum)V2|CTCLossV2)$": (
        "TensorFlow 2.21 has no kernel of it for CPUs: call the public function"
    ),
    (
        r"^(Resource)?(Sparse)?(Apply|Accumulator|ConditionalAccumulator)|^Scatter|^Assign(Add|Sub)?$|^Ref|^(V"
        r"ariable|VariableV2|CountUpTo|TemporaryVariable|DestroyTemporaryVariable|IsVariableInitialized|Stride"
        r"dSliceAssign|Barrier.*)$"
    ): (
        "TensorFlow 2.21 refuses it eagerly, too, since it changes what it is given a reference of: use "
        "tf.Variable, and its methods"
    ),
    r"^Reader|Reader$|ReaderV2$": "use tf.data",
    r"Queue": "use tf.queue, or tf.data",
    r"^(TensorArray|Stack)": "use tf.TensorArray",
    r"^TensorMap|^EmptyTensorMap": "use tf.lookup.experimental.MutableHashTable",
    r"Table": "use tf.lookup",
    r"^(Batch|BatchFunction|Unbatch|UnbatchGrad)$": "nothing gathers calls into batches: give tf.function whole batches",
    (
        r"^(BatchCholeskyGrad|BatchNormWithGlobalNormalizationGrad|Conv3DBackprop(Filter|Input)|StatefulStandardNormal"
        r"|SymbolicGradient|Const|DebugNanCount)$"
    ): "TensorFlow 2.21 refuses it, too: call the public function",
    r"^(EagerPyFunc|PyFunc|PyFuncStateless)$": (
        "it finds Python functions by TensorFlow's own tokens: use tf.py_function or tf.numpy_function"
    ),
    r"^(Save|SaveSlices|Restore|RestoreSlice|DistributedSave)$": (
        "it is of checkpoints as they were before 2016: use SaveV2 and RestoreV2"
    ),
    r"^(Learned|ThreadUnsafe)UnigramCandidateSampler$": "what it has learned lives in TensorFlow's kernel: use "
    "tf.random.fixed_unigram_candidate_sampler with counted words",
    r"^(KMC2ChainInitialization|KmeansPlusPlusInitialization)$": (
        "it starts a model that ended with TensorFlow 1: use scikit-learn's KMeans"
    ),
    r"^ParameterizedTruncatedNormal$": (
        "its stream of numbers is one of its own: use tf.random.stateless_parameterized_truncated_normal"
    ),
    r"^SparseCrossHashed$": "it hashes numbers in two ways of its own: use tf.sparse.cross_hashed",
    r"^(DecodeProtoV2|EncodeProto)$": "messages are read by protobuf: call it in tf.py_function",
    r"^RaggedTensor(To|From)Variant|^CompositeTensorVariant": "composite tensors go into functions and datasets as they are",
    r"^AssignVariableXlaConcatND$": "make a tf.Variable, whose handle raw operations take",
    r"^(DecodeJxl|GenerateBoundingBoxProposals)$": "there is no kernel of it for CPUs here: see tf.image",
    r"^(FileSystemSetConfiguration|ImmutableConst|RecordInput|WindowOp|LoadAndRemapMatrix)$": "use tf.io and tf.data",
    r"^(CheckPinned|DebugGradientRefIdentity|DummyIterationCounter|TensorListPushBackBatch)$": (
        "it serves TensorFlow's runtime alone"
    ),
    r"^Mutex|ConsumeMutex": "use tf.CriticalSection",
}
"""By patterns of names; the first that fits counts."""


def absent_raw(name: str) -> str | None:
    """Why there is no `tf.raw_ops` of this name, and what to use instead; None where it may come."""
    return next((reason for pattern, reason in _REASONS.items() if re.search(pattern, name)), None)
