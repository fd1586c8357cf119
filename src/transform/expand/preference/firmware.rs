//! The firmware a preference boots with.

use super::fill_all;
use crate::yaml::{Node, Origin};

/// Mirrors applyFirmwarePreferences, pkg/instancetype/preference/apply/firmware.go @ v1.9.0. A preference that says anything
/// about firmware leaves an empty boot loader behind, and the deprecated secure boot also reaches an EFI the VM wrote.
pub(super) fn apply(preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("firmware") else {
        return;
    };
    let loader = spec.ensure("domain.firmware.bootloader", preferred.origin);
    let wanted = |key: &str| -> Option<Origin> {
        let node = preferred.get(key)?;
        (node.as_bool() == Some(true)).then_some(node.origin)
    };
    let open = |loader: &Node| loader.get("bios").is_none() && loader.get("efi").is_none();
    if let Some(origin) = wanted("preferredUseBios")
        && open(loader)
    {
        loader.set("bios", Node::map().with_origin(origin));
    }
    if loader.get("bios").is_some() {
        let pairs = [("bios.useSerial", "preferredUseBiosSerial")];
        fill_all(loader, preferred, &pairs);
    }
    if let Some(efi) = preferred.get("preferredEfi")
        && open(loader)
    {
        loader.set("efi", efi.clone());
        return;
    }
    if let Some(origin) = wanted("preferredUseEfi")
        && open(loader)
    {
        loader.set("efi", Node::map().with_origin(origin));
    }
    if loader.get("efi").is_some() {
        let pairs = [("efi.secureBoot", "preferredUseSecureBoot")];
        fill_all(loader, preferred, &pairs);
    }
}
