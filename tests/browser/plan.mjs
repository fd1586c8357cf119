// The HTML plan in a real browser: filter and search work, nothing leaves the page, names that are HTML stay text.
//
// node tests/browser/plan.mjs DRIFTLESS CHROMIUM [SCREENSHOT_DIR]; playwright-core is found from the working directory.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, mkdirSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [driftless, chromium, screenshots] = process.argv.slice(2);
const { chromium: launcher } = createRequire(join(process.cwd(), "x.js"))("playwright-core");
const work = mkdtempSync(join(tmpdir(), "driftless-browser-"));

const vm = (name, changes) => `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: ${JSON.stringify(name)}
  namespace: vms
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {sockets: ${changes.sockets ?? 1}}
        memory: {guest: ${changes.memory ?? "2Gi"}}
        machine: {type: ${changes.machine ?? "q35"}}
        devices: {}
      nodeSelector: {zone: ${JSON.stringify(changes.zone ?? "a")}}
`;
const hostile = "<img src=x onerror=document.title='owned'>";
const before = { web: {}, db: {}, cache: {}, [hostile]: {} };
const after = { web: { sockets: 2 }, db: { machine: "pc-q35-9.0" }, cache: {}, [hostile]: { zone: hostile } };
for (const [side, vms] of Object.entries({ before, after })) {
  mkdirSync(join(work, side));
  const text = Object.entries(vms).map(([name, changes]) => vm(name, changes)).join("---\n");
  writeFileSync(join(work, side, "vms.yaml"), text);
}

const html = execFileSync(
  resolve(driftless),
  ["plan", "after", "--base-dir", "before", "--kubevirt", "1.9", "--format", "html"],
  { cwd: work, maxBuffer: 1 << 28 },
);
const page = join(work, "plan.html");
writeFileSync(page, html);

const browser = await launcher.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
try {
  for (const [name, viewport] of Object.entries({ desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } })) {
    const tab = await browser.newPage({ viewport });
    const problems = [];
    tab.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
    tab.on("pageerror", (error) => problems.push(String(error)));
    tab.on("request", (request) => {
      if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) problems.push(request.url());
    });
    await tab.goto(pathToFileURL(page).href);
    const visible = () => tab.locator(".vm:visible").count();
    const all = await visible();
    assert.ok(all >= 3, `${name}: ${all} VMs shown`);

    await tab.keyboard.press("/");
    await tab.keyboard.type("web");
    assert.equal(await visible(), 1, `${name}: search finds one VM`);
    await tab.keyboard.press("Escape");
    assert.equal(await visible(), all, `${name}: Escape clears the search`);

    await tab.locator('.filters button[data-filter="restart"]').click();
    assert.ok((await visible()) < all, `${name}: the filter hides other actions`);
    assert.ok((await visible()) >= 1, `${name}: the filter keeps restarts`);
    await tab.locator('.filters button[data-filter=""]').click();
    assert.equal(await visible(), all);

    assert.notEqual(await tab.title(), "owned", "a name that is HTML ran");
    assert.equal(await tab.locator("img").count(), 0, "a name that is HTML became an element");
    const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${name}: the page is ${overflow}px wider than the screen`);
    assert.deepEqual(problems, [], `${name}: no console error, no request`);
    if (screenshots) await tab.screenshot({ path: join(screenshots, `plan-${name}.png`), fullPage: true });
    await tab.close();
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
console.log("2 passed, 0 failed");
