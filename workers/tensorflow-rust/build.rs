//! Lets the worker find the TensorFlow that it was linked with without `LD_LIBRARY_PATH`, and say what compiled it.

use std::env;
use std::process::Command;

fn main() {
    let library = pkg_config::Config::new().cargo_metadata(false).probe("tensorflow").expect("PKG_CONFIG_PATH has it");
    for folder in library.link_paths {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");

    let rustc = env::var("RUSTC").expect("cargo says what compiles");
    let version = Command::new(rustc).arg("--version").output().expect("rustc has a version");
    let text = String::from_utf8_lossy(&version.stdout);
    println!("cargo:rustc-env=RUST_VERSION={}", text.split_whitespace().nth(1).unwrap_or("unknown"));
}
