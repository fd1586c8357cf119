"use strict";
(() => {
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const buttons = [...document.querySelectorAll(".filters button")];
  const vms = [...document.querySelectorAll(".vm")];
  const chosen = new Set();
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const vm of vms) {
      const fits = (chosen.size === 0 || chosen.has(vm.dataset.action))
        && words.every((word) => vm.dataset.text.includes(word));
      vm.hidden = !fits;
      if (fits) count += 1;
    }
    shown.textContent = `${count} of ${vms.length} shown`;
    document.getElementById("nothing").hidden = count > 0 || vms.length === 0;
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
  search.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && document.activeElement === search) { search.value = ""; apply(); }
  });
  apply();
})();
