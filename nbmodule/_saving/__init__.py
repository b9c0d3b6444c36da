"""What `save` and `load` are made of: nests of plain values, the formats that hold them, safe writing."""
