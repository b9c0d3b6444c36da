"""What `save` and `load` are made of: nests of plain values, the formats that hold them, safe writing.

formats             which format a file has
atomic              a path holds the old content or the new
safetensors, npz    tensors by name, and one JSON text: `plain` and `memories` make it
archive, legacy     PyTorch's two formats: a pickle, and the bytes of the storages
  archive_reader      the entries of a zip file, believed as far as the file is long
  archive_writer      and how they are written
  pickles             the machine that runs a pickle, and cannot run code
  constructors        the names that a pickle may use
  rebuilding          what these names do here
  safe                what the user allows besides
  pickle_writer       how nests become pickles
  storages            the memory of tensors, to and from files
places              `map_location`
bfloat16            a type that NumPy lacks
damage              errors that name the file
settings            what holds until it is changed
"""
