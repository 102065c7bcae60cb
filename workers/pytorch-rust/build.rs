//! Compiles `native/`, and lets the worker find the libtorch that tch was linked with without `LD_LIBRARY_PATH`.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let lib = env::var("DEP_TCH_LIBTORCH_LIB").expect("torch-sys says where libtorch is");
    let include = Path::new(&lib).with_file_name("include");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
    if Path::new(&lib).join("libtorch_cuda.so").exists() {
        // Nothing names a symbol of it, so that the linker would leave it out, and PyTorch would see no GPU.
        println!("cargo:rustc-link-arg=-Wl,--push-state,--no-as-needed,-ltorch_cuda,--pop-state");
        println!("cargo:rustc-link-arg=-Wl,--allow-shlib-undefined");
    }
    println!("cargo:rerun-if-changed=native");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .warnings(false) // of libtorch's headers
        .include(&include)
        .include(include.join("torch/csrc/api/include"))
        .file("native/optimizer_state.cc")
        .compile("optimizer_state");

    let rustc = env::var("RUSTC").expect("cargo says what compiles");
    let version = Command::new(rustc).arg("--version").output().expect("rustc has a version");
    let text = String::from_utf8_lossy(&version.stdout);
    println!("cargo:rustc-env=RUST_VERSION={}", text.split_whitespace().nth(1).unwrap_or("unknown"));
}
