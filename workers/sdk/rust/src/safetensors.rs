//! Files of tensors in the safetensors format. Reading maps the file and copies nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use safetensors::{SafeTensors, serialize_to_file};

use crate::{Error, HostTensor, Result};

pub type Tensors = BTreeMap<String, HostTensor>;

pub fn read_safetensors(path: &Path) -> Result<Tensors> {
    let file = map(path).map_err(|error| Error::bad_input(format!("{}: {error}", path.display())))?;
    let (header, metadata) =
        SafeTensors::read_metadata(&file).map_err(|error| Error::bad_input(format!("{}: {error}", path.display())))?;
    let data = size_of::<u64>() + header;
    let tensors = metadata.tensors().into_iter().map(|(name, info)| {
        let (begin, end) = info.data_offsets;
        let range = data + begin..data + end;
        (name, HostTensor::mapped(info.dtype, info.shape.clone(), Arc::clone(&file), range))
    });
    Ok(tensors.collect())
}

fn map(path: &Path) -> std::io::Result<Arc<Mmap>> {
    let file = File::open(path)?;
    // SAFETY: crossbind does not change the files that it hands to a worker.
    Ok(Arc::new(unsafe { Mmap::map(&file)? }))
}

/// The file appears whole or not at all.
pub fn write_safetensors(path: &Path, tensors: &Tensors) -> Result<()> {
    let temporary = beside(path);
    let written = serialize_to_file(tensors, None, &temporary).map_err(|error| error.to_string());
    let placed = written.and_then(|()| fs::rename(&temporary, path).map_err(|error| error.to_string()));
    placed.map_err(|error| {
        let _ = fs::remove_file(&temporary); // it may not be there
        Error::internal(format!("{}: {error}", path.display()))
    })
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn refusal(content: &[u8]) -> String {
        let folder = folder();
        let path = folder.path().join("file");
        fs::write(&path, content).unwrap();
        match read_safetensors(&path).unwrap_err() {
            Error::Failed { code: Code::BadInput, message } => message,
            other => panic!("{other:?}"),
        }
    }

    fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = folder();
        let path = folder.path().join("file");
        let floats = HostTensor::from_f32(vec![2, 2], &[1.0, -0.0, f32::MIN_POSITIVE, 4.0]);
        let tensors = Tensors::from([
            ("b".into(), floats.clone()),
            ("a".into(), HostTensor::from_i64(vec![3], &[1, i64::MIN, 3])),
            ("empty".into(), HostTensor::from_f32(vec![0, 3], &[])),
        ]);
        write_safetensors(&path, &tensors).unwrap();
        let read = read_safetensors(&path).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["a", "b", "empty"]);
        assert_eq!(read["b"].bytes(), floats.bytes());
        assert_eq!(read["a"].i64s().collect::<Vec<_>>(), [1, i64::MIN, 3]);
        assert_eq!(read["empty"].shape(), [0, 3]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    }

    #[test]
    fn malformed_files_are_bad_input_that_names_the_file() {
        let shape_too_large = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#;
        let unknown_type = r#"{"a":{"dtype":"F9","shape":[1],"data_offsets":[0,4]}}"#;
        let hole = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
        let cases: [&[u8]; 7] = [
            b"",
            b"short",
            &u64::MAX.to_le_bytes(),
            &with_header("not json", b""),
            &with_header(shape_too_large, &[0; 8]),
            &with_header(unknown_type, &[0; 4]),
            &with_header(hole, &[0; 8]),
        ];
        for case in cases {
            assert!(refusal(case).contains("/file: "));
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_internal_and_leaves_nothing() {
        let folder = folder();
        let path = folder.path().join("missing").join("file");
        let error = write_safetensors(&path, &Tensors::new()).unwrap_err();
        assert!(matches!(error, Error::Failed { code: Code::Internal, .. }));
    }
}
