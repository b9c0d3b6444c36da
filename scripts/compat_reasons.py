"""Why something of PyTorch is not in nbmodule: one reason, and patterns of the full names that it holds for.

`build_compat.py` looks from the top to the bottom and takes the first that fits. A name that nothing fits
is an error, and so is a pattern that fits nothing: the table says what is true of today's names.
"""

REASONS: list[tuple[str, str, list[str]]] = [
    (
        "gone from PyTorch",
        "PyTorch itself has removed or deprecated it and only raises or warns.",
        [
            r"torch(\.Tensor)?\.(eig|lstsq|solve|symeig|matrix_rank)",
            r"torch\.(Tensor\.(volatile|resize|resize_as|reinforce|name)|testing\.assert_allclose)",
            r"torch\.(frobenius_norm|nuclear_norm|native_norm|dsmm|hsmm|hspmm|saddmm|to_dlpack|has_\w+)",
            r"torch\.autograd\.variable|torch\.nn\.factory_kwargs",
            r"torch\.nn\.backends(\..*)?|torch\.autograd\.profiler_legacy",
            r"torch\.utils\.data\.(\w*DataPipe\w*|DataChunk|functional_datapipe|\w*determin\w*)",
            r"torch\.utils\.data\.(argument_validation|runtime_validation\w*|\w*datapipe\w*)",
        ],
    ),
    (
        "complex numbers",
        "Every rule would need a second derivation (Wirtinger calculus), which no network of the chapters asks for. The dtypes are there to be compared with, and every use is refused.",
        [
            r"torch\.(Tensor\.)?(cdouble|cfloat|chalf|complex|imag|polar|i?stft|view_as_(complex|real)\w*)",
            r"torch\.linalg\.(eig|eigvals)",
            r"torch\.(fft|signal)(\..*)?",
        ],
    ),
    (
        "8- and 16-bit floats",
        "NumPy has no bfloat16 and no 8-bit floats, and a processor without them gains nothing. Files that hold bfloat16 are read as float32.",
        [r"torch\.((Tensor|nn\.Module)\.)?(bfloat16|float[48]_\w+)", r"torch\.nn\.functional\.(\w*scaled\w*mm|grouped_mm|ScalingType|SwizzleType)"],
    ),
    (
        "mixed precision",
        "`torch.amp` is here and `GradScaler` works in full; what would switch casting on does not exist, as it stays off (16 bits pay on a GPU with units for them). `float16` works by hand.",
        [r"torch\.\w*autocast\w*"],
    ),
    (
        "sparse tensors",
        "One way to lay out a tensor: dense, with strides. Gradients of embeddings are dense, too.",
        [
            r"torch\.(Tensor\.)?(sparse_\w+|\w*indices\w*|values\w*|(is_)?coalesced?|to_sparse\w*)",
            r"torch\.(Tensor\.)?(smm|sspaddmm|resize_as_sparse_)|torch\.(sparse|cuda\.sparse)",
        ],
    ),
    (
        "quantized tensors",
        "Integers with a scale are for deployment; PyTorch is moving them to torchao. `ao.quantization.quantize_dynamic` is here, and holds int8 tensors.",
        [
            r"torch\.(Tensor\.)?(q_\w+|qscheme|q?u?int\d+(x\d)?|bits?\w*|int_repr|dequantize|qint\w+|quint\w+)",
            r"torch\.\w*(quanti|fbgemm|fused_moving|qparams)\w*|torch\.nn\.(quantized|quantizable|qat|intrinsic)",
        ],
    ),
    (
        "compiling and exporting",
        "What runs here is the code that stands in the file, so that it can be read, stepped through and timed line by line: no tracing, scripting or code generation.",
        [
            r"torch\.(compile\w*|cond|while_loop|export|vmap_out|sym_\w+|Sym\w+|fork|wait|jit|fx|onnx|nativert)",
            r"torch\.(import_ir\w*|parse_\w+|merge_type\w*|unify_type\w*|get_file_path|is_vulkan\w*|cpp|classproperty)",
            r"torch\.(ScriptFunction|prepare_multiprocessing_environment|compiler|library|contrib|package|ScriptModule|CompilationUnit)",
            r"torch\.utils\.(jit|bundled_inputs|mobile_optimizer|model_dump|mkldnn|cpp_extension|hipify|file_baton|throughput_benchmark)",
            r"torch\.nn\.(cpp|Module\.compile)|torch\.(JITException|FatalError|AVG|SUM)|torch\.func\.(functionalize|debug_unwrap|rearrange|replace_all\w*)",
        ],
    ),
    (
        "kernels of one maker",
        "They are PyTorch's way to a maker's library; the general function is here under its own name.",
        [
            r"torch\.(cudnn|miopen|mkldnn)_\w+",
            r"torch\.batch_norm_\w+",
            r"torch\.(Tensor|nn\.Module)\.(to_mkldnn|ipu|xpu|mtia|record_stream)|torch\.(xpu|mps|mtia|numa|cpu)",
            r"torch\.nn\.attention\.\w*flash_attention_impls?",
        ],
    ),
    (
        "streams, several GPUs, the allocator's books",
        "NumPy runs at once and in order; with CuPy, use CuPy's own streams and memory pools.",
        [
            r"torch\.(Stream|Event|OutOfMemoryError|AcceleratorError|get_device_module)",
            r"torch\.(cuda|accelerator)\.\w+",
            r"torch\.autograd\.(set_multithreading_enabled|enforce_grad_layout_policy)",
            r"torch\.autograd\.graph\.(region_\w+|set_\w+)|torch\.profiler_allow\w*",
            r"torch\.(get|set)_num_interop_threads|torch\.init_num_threads|torch\.Generator\.device",
        ],
    ),
    (
        "many processes",
        "Training on several machines rides on MPI (`mpi4py`), with gradients averaged in hooks; workers of a `DataLoader` are threads.",
        [r"torch\.(distributed|multiprocessing|futures|monitor|is_distributed|Future)"],
    ),
    (
        "subclasses that overrule functions",
        "`__torch_function__` would put a question in front of every call.",
        [
            r"torch\.(overrides|DisableTorchFunction\w*)|torch\.nn\.functional\.(has_torch_function\w*|assert_int_or_pair)",
            r"torch\.(Tensor\.module_load|utils\.swap_tensors)",
        ],
    ),
    (
        "libraries of their own",
        "Distributions, nested and masked tensors are built upon tensors; they have nothing to do with `nn.Module`.",
        [r"torch\.(distributions|nested|masked|quasirandom)", r"torch\.Tensor\.to_padded_tensor"],
    ),
    (
        "tools around PyTorch",
        "Profilers, hubs and boards: Python's own profilers and the views of nbmodule look at the same code.",
        [
            r"torch\.(profiler|hub|torch_version|types)|torch\.autograd\.profiler\w*",
            r"torch\.utils\.(backcompat|backend_registration|benchmark|collect_env|cpp_backtrace|debug_log|deterministic)",
            r"torch\.utils\.(flop_counter|model_zoo|module_tracker|show_pickle|tensorboard|viz|weak)",
            r"torch\.(Tensor\.)?hash_tensor|torch\.autograd\.NestedIOFunction|torch\.(read_)?vitals?\w*",
        ],
    ),
    (
        "pickled classes, and aliases of types",
        "A file never makes an object by its class's name, so nothing of the source or the version of a class is looked up.",
        [
            r"torch\.serialization\.(SourceChangeWarning|check_module_version_greater_or_equal|mkdtemp)",
            r"torch\.serialization\.(normalize_storage_type|storage_to_tensor_type|validate_hpu_device)",
            r"torch\.optim\.Optimizer\.Optimizer(Pre|Post)Hook|torch\.nn\.Module\.T_destination",
        ],
    ),
    (
        "forward-mode derivatives",
        "Dual numbers would need a second formula beside each rule. `func.jvp` and `jacfwd` go backwards twice.",
        [r"torch\.autograd\.forward_ad(\..*)?|torch\.func\.linearize"],
    ),
    (
        "not yet",
        "Nothing speaks against it; nobody has written it.",
        [
            r"torch\.special\.\w+",
            r"torch\.linalg\.ldl_\w+",
            r"torch\.(Tensor\.(map2_|slice_inverse|index|storage_type)|slice_inverse|resize_as_|as_strided_|addmv_)",
            r"torch\.(binomial|histogramdd|segment_reduce|lobpcg|pca_lowrank|svd_lowrank|from_file|cartesian\w*)",
            r"torch\.((get|set)_deterministic_debug_mode|set_flush_denormal|thread_safe_generator|bernoulli_)",
            r"torch\.autograd\.graph\.allow_mutation_on_saved_tensors",
            r"torch\.utils\.checkpoint\.\w+",
            r"torch\.\w*Storage|torch\.cudnn_is\w*",
        ],
    ),
]  # fmt: skip

DIFFERENT: list[tuple[str, str]] = [
    (
        "torch.load",
        "never runs code, whatever `weights_only` says; what is not on its list is refused by name. `add_safe_globals` adds classes of your own. bfloat16 becomes float32, with a warning.",
    ),
    (
        "torch.save",
        "the ending of the path chooses the format: `.safetensors`, `.npz`, and for all others PyTorch's archive. A file is whole or not there. A whole module is refused: save its `state_dict()`.",
    ),
    (
        "torch.utils.data.DataLoader",
        "workers are threads: each has a copy of the dataset and nbmodule's random numbers to itself, but Python's `random` and `numpy.random` are the program's (`get_worker_info().rng` has one of each for the worker).",
    ),
    ("torch.optim.SparseAdam", "refuses dense gradients, as in PyTorch; there are no others here."),
    ("torch.optim.Muon", "its bfloat16 is rounded by hand: equal to the bit for small matrices, close for others."),
    (
        "torch.nn.Module.load_state_dict",
        "looks at every key and shape before it writes the first number: a state that is refused, or a hook that fails, leaves the module as it was. PyTorch's has loaded what did fit.",
    ),
    (
        "torch.optim.Optimizer.step",
        "stopped by an error or by Ctrl-C may have changed some parameters and not others, as in PyTorch; what it remembers of each is whole, and training can go on.",
    ),
    (
        "torch.optim.LBFGS",
        "goes on after a copy or a pickle; PyTorch's loses its list of parameters. A step that is stopped leaves everything as it was.",
    ),
    (
        "torch.optim.lr_scheduler.CyclicLR",
        "checks everything before it changes the optimizer, as do `OneCycleLR` and `SWALR`; of two wrong arguments the other one may be named.",
    ),
    ("torch.optim.swa_utils.update_bn", "puts momentum and mode back if the loader fails."),
    (
        "torch.autocast",
        "warns and stays off, on every device: results keep the types of their tensors, so they have more digits than PyTorch's, not fewer. `is_autocast_enabled` says False.",
    ),
    ("torch.get_autocast_dtype", "says float32 where PyTorch says bfloat16."),
    ("torch.nn.utils.prune", "a pruning or a `weight_norm` that fails leaves the module as it was."),
    (
        "torch.ao.quantization.quantize_dynamic",
        "replaces Linears alone, with one scale for each row, and rounds the weight and not the input; the `state_dict` holds int8 and floats (decision 34).",
    ),
    ("torch.nn.CTCLoss", "raises for a target beyond the classes; PyTorch reads what lies there."),
    ("torch.nn.EmbeddingBag", "with `scale_grad_by_freq`, n equal indices count 1/n each, as in `Embedding`; in PyTorch only one of them counts."),
    ("torch.cuda", "is CuPy, where that is installed; there is one stream and no memory to book."),
]  # fmt: skip
"""What is here and does something else on purpose: its path, and what."""
