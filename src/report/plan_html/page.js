"use strict";
(() => {
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const expand = document.getElementById("expand");
  const buttons = [...document.querySelectorAll("button[data-filter]")];
  const chosen = new Set();
  // What is said of a group is said of each of its VMs; comparisons are not searched.
  const told = (group) => [...group.querySelectorAll(":scope > summary, :scope > .body > ul, :scope > .body > .scroll")]
    .map((part) => part.textContent).join(" ").toLowerCase();
  const groups = [...document.querySelectorAll(".group")].map((group) => ({
    group,
    action: group.dataset.action,
    text: told(group),
    places: [...group.querySelectorAll(".place")],
    vms: [...group.querySelectorAll(".vm")].map((vm) => ({ vm, text: `${vm.dataset.name} ${vm.textContent}`.toLowerCase() })),
  }));
  const total = groups.reduce((sum, { vms }) => sum + vms.length, 0);
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { group, action, text, places, vms } of groups) {
      const open = words.filter((word) => !text.includes(word));
      let inside = 0;
      for (const one of vms) {
        const fits = (chosen.size === 0 || chosen.has(action)) && open.every((word) => one.text.includes(word));
        if (one.vm.hidden === fits) one.vm.hidden = !fits;
        if (fits) inside += 1;
      }
      for (const place of places) place.hidden = !place.querySelector(".vm:not([hidden])");
      group.hidden = inside === 0;
      count += inside;
    }
    shown.textContent = `${count} of ${total} shown`;
    document.getElementById("nothing").hidden = count > 0 || total === 0;
  };
  const opened = (all) => {
    for (const details of document.querySelectorAll(".group")) details.open = all;
    expand.setAttribute("aria-pressed", String(all));
    expand.textContent = all ? "fold all" : "expand all";
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const action = button.dataset.filter;
      if (action === "") chosen.clear();
      else if (!chosen.delete(action)) chosen.add(action);
      for (const other of buttons) {
        const on = other.dataset.filter === "" ? chosen.size === 0 : chosen.has(other.dataset.filter);
        other.setAttribute("aria-pressed", String(on));
      }
      apply();
    });
  }
  const copied = async (button) => {
    const names = [...button.closest(".place").querySelectorAll(".vm:not([hidden])")].map((vm) => vm.dataset.name).join("\n");
    try {
      await navigator.clipboard.writeText(names);
    } catch {
      // A page without the right to the clipboard copies what is selected.
      const area = document.createElement("textarea");
      area.value = names;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy names"; }, 1500);
  };
  document.addEventListener("click", (event) => {
    const copy = event.target.closest(".copy");
    if (copy) copied(copy);
    const link = event.target.closest('a[href^="#group-"]');
    if (link) document.getElementById(link.hash.slice(1)).open = true;
  });
  expand.addEventListener("click", () => opened(expand.getAttribute("aria-pressed") === "false"));
  search.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && document.activeElement === search) { search.value = ""; apply(); }
  });
  apply();
})();
