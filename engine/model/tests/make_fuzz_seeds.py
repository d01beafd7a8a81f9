#!/usr/bin/env python3
"""Writes seed inputs for the fuzz targets of engine/model into DIR/safetensors,
DIR/gguf and DIR/config: small valid files, from which the fuzzer goes astray.

    python3 make_fuzz_seeds.py DIR
"""
import json
import struct
import sys
from pathlib import Path


def safetensors(tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes(range(size))
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def value(v):
    if isinstance(v, bool):
        return struct.pack("<IB", 7, v)
    if isinstance(v, int):
        return struct.pack("<II", 4, v)
    if isinstance(v, float):
        return struct.pack("<If", 6, v)
    if isinstance(v, str):
        return struct.pack("<I", 8) + text(v)
    kind = struct.unpack("<I", value(v[0])[:4])[0]
    return struct.pack("<IIQ", 9, kind, len(v)) + b"".join(value(x)[4:] for x in v)


def gguf(keys, tensors):
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for k, v in keys.items():
        out += text(k) + value(v)
    offset = 0
    for name, (ne, kind, size) in tensors.items():
        out += text(name) + struct.pack("<I", len(ne)) + struct.pack(f"<{len(ne)}Q", *ne)
        out += struct.pack("<IQ", kind, offset)
        offset += (size + 31) // 32 * 32
    out += bytes(-len(out) % 32)
    return out + bytes(i % 256 for i in range(offset))


LLAMA = {
    "general.architecture": "llama", "general.alignment": 32, "llama.block_count": 2,
    "llama.embedding_length": 64, "llama.feed_forward_length": [160, 160],
    "llama.attention.head_count": 8, "llama.attention.head_count_kv": 2,
    "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.context_length": 512,
    "llama.rope.freq_base": 1e6, "llama.rope.scaling.type": "yarn",
    "llama.rope.scaling.factor": 4.0, "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["a", "", "word"], "tokenizer.ggml.token_type": [1, 1, 3],
    "tokenizer.ggml.scores": [0.0, -1.0, 1.5], "tokenizer.ggml.add_bos_token": False,
    "tokenizer.ggml.eos_token_id": 2,
}
CONFIG = {
    "model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 160,
    "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5, "max_position_embeddings": 512, "bos_token_id": 1,
    "eos_token_id": [2, 3], "tie_word_embeddings": True,
}
ROPES = [
    {"rope_theta": 1e6},
    {"rope_scaling": {"type": "linear", "factor": 2.0}},
    {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                      "high_freq_factor": 4.0, "original_max_position_embeddings": 64}},
    {"rope_parameters": {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e6, "mscale": 1.0,
                         "original_max_position_embeddings": 64, "beta_fast": 32,
                         "beta_slow": 1, "truncate": False, "mscale_all_dim": 0.7}},
]


def main():
    root = Path(sys.argv[1])
    seeds = {
        "safetensors": [
            safetensors({}),
            safetensors({"a": ("F32", [2, 2], 16), "b": ("BF16", [3], 6), "i": ("I64", [1], 8)}),
            safetensors({"s": ("F16", [], 2), "e": ("F32", [0, 4], 0)}),
            b'{"a":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},'
            b'"b":{"dtype":"BF16","shape":[16],"data_offsets":[32,64]}}',
        ],
        "gguf": [
            gguf({}, {}),
            gguf(LLAMA, {"w": ([4, 2], 0, 32), "q": ([32, 2], 8, 68), "k": ([256], 12, 144)}),
            gguf({"general.alignment": 64}, {"h": ([5], 1, 10)}),
        ],
        "config": [json.dumps(CONFIG | r).encode() for r in ROPES],
    }
    for kind, files in seeds.items():
        (root / kind).mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(files):
            (root / kind / f"seed{i}").write_bytes(data)


if __name__ == "__main__":
    main()
