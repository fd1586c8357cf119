// The HTML plan of 120 virtual machines in a real browser: what is on the first screen, search, filters, keyboard, copying,
// links, dark, phone, print; nothing leaves the page, and names that are HTML stay text. The comment too, as GitHub's own
// Markdown makes it where `cmark-gfm` is there.
//
// node tests/browser/plan.mjs DRIFTLESS CHROMIUM [SCREENSHOT_DIR [FLEET_DIR]]; playwright-core is found from the working
// directory. FLEET_DIR holds the page and the comment of the fleet, which `cargo test --test git fleet` leaves in
// target/tmp/fleet.
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [driftless, chromium, screenshots, fleetDirectory] = process.argv.slice(2);
const { chromium: launcher } = createRequire(join(process.cwd(), "x.js"))("playwright-core");
const work = mkdtempSync(join(tmpdir(), "driftless-browser-"));
const hostile = "<img src=x onerror=document.title='owned'>";

const vm = (name, namespace, { strategy = "Always", host = name, claim = `${name}-root`, zone = "a", memory, type }) => `---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: ${JSON.stringify(name)}, namespace: ${namespace}}
spec:
  runStrategy: ${strategy}
${memory ? "" : `  instancetype: {name: ${type}}\n`}  template:
    spec:
      hostname: ${JSON.stringify(host)}
      nodeSelector: {zone: ${JSON.stringify(zone)}}
      domain:
        devices: {disks: [{name: root, disk: {}}]}
${memory ? `        memory: {guest: ${memory}}\n` : ""}      volumes:
        - {name: root, persistentVolumeClaim: {claimName: ${JSON.stringify(claim)}}}
        - {name: init, cloudInitNoCloud: {userData: "#cloud-config\\npassword: hunter2"}}
`;
const type = (name, cpus) => `---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: ${name}}
spec: {cpu: {guest: ${cpus}}, memory: {guest: 8Gi}}
`;
// What the change does to the VMs of a cluster, by their number.
const changes = {
  east: { 1: { zone: "b" }, 2: { zone: "b" }, 9: { memory: "6Gi" }, 19: { memory: "8Gi" } },
  west: { 3: { host: "other" }, 4: { host: "other" }, 5: null },
  north: { 6: { claim: "other-claim" }, 7: { strategy: "Halted" } },
  lab: { 8: { zone: hostile }, 0: null },
};
const fleet = (side, each) => {
  for (const [cluster, edits] of Object.entries(changes)) {
    const directory = join(work, side, "clusters", cluster);
    mkdirSync(directory, { recursive: true });
    const cpus = side === "head" && cluster === "east" ? 4 : 2;
    writeFileSync(join(directory, "types.yaml"), type(`${cluster}-web`, cpus));
    for (let at = 0; at < each; at += 1) {
      const edit = side === "base" ? {} : edits[at];
      if (edit === null) continue;
      const name = `${cluster}-web-${String(at).padStart(2, "0")}`;
      const own = at % 10 === 9 ? { memory: "4Gi" } : {};
      const text = vm(name, at % 2 ? "shop" : "pay", { type: `${cluster}-web`, ...own, ...edit });
      writeFileSync(join(directory, `${name}.yaml`), text);
    }
  }
};
const links = ["--link-template", "https://git.test/blob/main/{path}#L{line}"];
const plan = (format, ...args) => execFileSync(
  resolve(driftless),
  ["plan", "head", "--base-dir", "base", "--kubevirt", "1.9", "--format", format, "-q", ...args],
  { cwd: work, maxBuffer: 1 << 28 },
);
const written = (file, html) => {
  writeFileSync(join(work, file), html);
  return pathToFileURL(join(work, file)).href;
};
for (const side of ["base", "head"]) {
  fleet(side, 30);
  const text = vm(hostile, "vms", { zone: side === "head" ? hostile : "a", memory: "2Gi" });
  writeFileSync(join(work, side, "hostile.yaml"), text);
}
const page = written("plan.html", plan("html", ...links));
const markdown = plan("markdown", ...links, "--artifact", "plan.html");

const browser = await launcher.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
let passed = 0;
// A page of its own, on which nothing may go wrong and from which nothing may be asked for.
const check = async (name, options, run, url = page) => {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const tab = await context.newPage();
  const problems = [];
  tab.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) problems.push(request.url());
  });
  await tab.goto(url);
  try {
    await run(tab);
    assert.deepEqual(problems, [], "console errors and requests");
    const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow}px wider than the screen`);
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
  if (screenshots) await tab.screenshot({ path: join(screenshots, `plan-${name}.png`) });
  await context.close();
  passed += 1;
};
const groups = (tab) => tab.locator(".group:visible").count();
const machines = (tab) => tab.evaluate(() => document.querySelectorAll(".group:not([hidden]) .vm:not([hidden])").length);

// The total, the causes and the three worst VMs are there without scrolling, each whole in its words or cut with dots.
const firstScreen = async (tab) => {
  for (const selector of ["h1", "#worst li", "#causes li"]) {
    const found = await tab.locator(selector).all();
    assert.ok(found.length > 0, selector);
    for (const one of found) {
      const box = await one.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 900, `${selector} is on the first screen`);
    }
  }
  assert.equal(await tab.locator("#worst li").count(), 3);
  const first = await tab.locator(".group").first().boundingBox();
  assert.ok(first.y < 620, `groups start on the first screen, at ${first.y}`);
};
const focused = (tab, selector) => tab.evaluate((what) => document.activeElement.matches(what), selector);
const byKeyboard = async (tab) => {
  for (let at = 0; at < 60 && !(await focused(tab, ".group > summary")); at += 1) await tab.keyboard.press("Tab");
  assert.ok(await focused(tab, ".group > summary"), "a group is reached by Tab");
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator(".group[open]").count(), 1, "Enter opens it");
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator(".group[open]").count(), 0, "and folds it");
  const outline = await tab.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "what has the focus is marked");
  await tab.locator("#expand").focus();
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator(".group[open]").count(), await groups(tab), "expand all");
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator(".group[open]").count(), 0, "fold all");
  await tab.locator("#worst a").last().focus();
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator(".group[open]").count(), 1, "a VM on the first screen leads to its group");
};
const contrast = (tab) => tab.evaluate(() => {
  const light = (color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const page = light(getComputedStyle(document.body).backgroundColor);
  const worst = [...document.querySelectorAll("h1, .action, .muted, .name")].map((one) => {
    const text = light(getComputedStyle(one).color);
    return (Math.max(page, text) + 0.05) / (Math.min(page, text) + 0.05);
  });
  return { page, worst: Math.min(...worst) };
});
const inTheDark = async (tab) => {
  const { page, worst } = await contrast(tab);
  assert.ok(page < 0.05 && worst >= 4.5, `contrast ${worst}`);
  await tab.locator(".group > summary").first().click();
};
const onAPhone = async (tab) => {
  const box = await tab.locator("#worst").boundingBox();
  assert.ok(box.y + box.height < 844, "the worst are on the first screen");
  await tab.locator("#expand").tap();
  assert.equal(await tab.locator(".group[open]").count(), await groups(tab));
  await tab.locator("#expand").tap();
};
const onPaper = (name) => async (tab) => {
  await tab.emulateMedia({ media: "print" });
  assert.equal(await tab.locator("button:visible, input:visible").count(), 0, "no controls");
  const heights = await tab.locator(".group > .body").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  assert.ok(heights.length > 0 && heights.every((height) => height > 10), "every group is told in full");
  const path = screenshots ? join(screenshots, `${name}.pdf`) : undefined;
  const pdf = await tab.pdf({ format: "A4", path });
  assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length >= 2, "more than the first page");
};
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
// GitHub's own Markdown as a page, or nothing where `cmark-gfm` is not there.
const rendered = (file, text) => {
  const gfm = spawnSync("cmark-gfm", ["--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter"],
    { input: text });
  if (gfm.error) return undefined;
  const style = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><link rel=icon href='data:,'>"
    + "<style>body{max-width:50rem;margin:1rem;font:14px/1.5 sans-serif;overflow-wrap:anywhere}code{background:#eee}</style>";
  return written(file, style + gfm.stdout);
};

try {
  await check("desktop", {}, async (tab) => {
    await firstScreen(tab);
    assert.match(await tab.locator("h1").textContent(), /1 loses data, 2 are deleted/);
    // The cause stands in the closed row.
    const closed = tab.locator(".group:not([open]) > summary", { hasText: "east-web" });
    assert.match(await closed.first().textContent(), /clusters\/east\/types\.yaml/);
  });

  await check("search", {}, async (tab) => {
    const all = await machines(tab);
    await tab.keyboard.press("/");
    await tab.keyboard.type("west-web-03");
    assert.equal(await machines(tab), 1, "search finds one VM");
    assert.match(await tab.locator("#shown").textContent(), new RegExp(`^1 of ${all} shown$`));
    await tab.keyboard.press("Escape");
    assert.equal(await machines(tab), all, "Escape clears the search");
    await tab.keyboard.type("/nothing-of-that-name");
    assert.ok(await tab.locator("#nothing").isVisible());
    await tab.keyboard.press("Escape");
    await tab.locator('button[data-filter="restart"]').click();
    assert.equal(await machines(tab), 2, "two VMs restart");
    await tab.locator('button[data-filter="delete"]').click();
    assert.equal(await machines(tab), 4, "filters add up");
    await tab.locator('button[data-filter=""]').click();
    assert.equal(await machines(tab), all);
  });

  await check("keyboard", {}, byKeyboard);

  await check("copy", {}, async (tab) => {
    await tab.locator("#expand").click();
    const place = tab.locator(".group", { hasText: "hostname" }).locator(".place:not(.alone)").first();
    const names = await place.locator(".vm").evaluateAll((vms) => vms.map((one) => one.dataset.name));
    await place.locator(".copy").click();
    await tab.waitForFunction(() => [...document.querySelectorAll(".copy")].some((one) => one.textContent === "copied"));
    assert.equal(await tab.evaluate(() => navigator.clipboard.readText()), names.join("\n"));
  });

  await check("inert", {}, async (tab) => {
    await tab.locator("#expand").click();
    assert.notEqual(await tab.title(), "owned", "a name that is HTML ran");
    assert.equal(await tab.locator("img").count(), 0, "a name that is HTML became an element");
    assert.ok((await tab.locator(".name", { hasText: hostile }).count()) > 0, "it is there as text");
    assert.ok(!(await tab.content()).includes("hunter2"), "user data is not shown");
    const links = await tab.locator('a[href^="http"]').evaluateAll((all) => all.map((one) => one.href));
    assert.ok(links.includes("https://git.test/blob/main/head/clusters/east/types.yaml#L2"), links.join(" "));
    assert.ok(links.every((link) => /^https:\/\/git\.test\/blob\/main\/[^?]+#L\d+$/.test(link)), links.join(" "));
  });

  await check("light", {}, async (tab) => {
    const { page, worst } = await contrast(tab);
    assert.ok(page > 0.9 && worst >= 4.5, `contrast ${worst}`);
  });
  await check("dark", { colorScheme: "dark" }, inTheDark);
  await check("phone", phone, onAPhone);
  await check("print", {}, onPaper("plan"));

  const comment = rendered("comment.html", markdown);
  if (!comment) console.log("skipped: the comment, cmark-gfm cannot be had here");
  else {
    for (const [name, viewport] of [["comment", { width: 900, height: 900 }], ["comment-phone", { width: 390, height: 844 }]]) {
      await check(name, { viewport }, async (tab) => {
        assert.match(await tab.locator("h3").textContent(), /1 loses data, 2 are deleted/);
        assert.ok((await tab.locator("details").count()) >= 7, "details a group");
        assert.equal(await tab.locator("details details").count(), 0, "each of its own");
        const summaries = await tab.locator("summary").allTextContents();
        assert.ok(summaries.some((text) => text.includes("types.yaml: instance type east-web changed")), summaries.join("\n"));
        for (const details of await tab.locator("details").all()) await details.evaluate((one) => { one.open = true; });
        const elements = await tab.evaluate(() => [...new Set([...document.body.querySelectorAll("*")].map((one) => one.localName))].sort());
        const ours = ["a", "b", "blockquote", "br", "code", "details", "h3", "li", "p", "summary", "ul"];
        assert.ok(elements.every((one) => ours.includes(one)), elements.join(" "));
        assert.notEqual(await tab.title(), "owned", "a name that is HTML ran");
        assert.ok((await tab.locator("code", { hasText: hostile }).count()) > 0, "it is there as text");
        assert.equal(await tab.locator('a:not([href^="https://git.test/blob/main/"])').count(), 0, "no other links");
      }, comment);
    }
  }

  if (fleetDirectory) {
    const read = (name) => readFileSync(join(fleetDirectory, name), "utf8");
    const url = written("fleet.html", read("plan.html"));
    const total = /2 lose data, \d+ are deleted, \d+ stops?, 1 restarts its guests at once/;
    await check("fleet", {}, async (tab) => {
      await firstScreen(tab);
      assert.match(await tab.locator("h1").textContent(), total);
      const worst = await tab.locator("#worst li").allTextContents();
      assert.ok(worst.every((text) => /^\s*(rejected|data-loss)/.test(text)), worst.join("; "));
      assert.ok((await tab.locator("#causes li").count()) > 5);
    }, url);
    await check("fleet-keyboard", {}, byKeyboard, url);
    await check("fleet-dark", { colorScheme: "dark" }, inTheDark, url);
    await check("fleet-phone", phone, onAPhone, url);
    await check("fleet-print", {}, onPaper("fleet"), url);
    const comment = rendered("fleet-comment.html", read("comment.md"));
    for (const [name, options] of comment ? [["fleet-comment", {}], ["fleet-comment-phone", phone]] : []) {
      await check(name, options, async (tab) => {
        assert.match(await tab.locator("h3").textContent(), total);
        const summaries = await tab.locator("summary").all();
        for (const summary of summaries.slice(0, 3)) {
          assert.match(await summary.textContent(), /^(rejected|data-loss)/);
          const box = await summary.boundingBox();
          assert.ok(box.y + box.height < 844, "the worst are on the first screen");
        }
        assert.equal(await tab.locator("details details").count(), 0, "details a group");
      }, comment);
    }
  }

  for (const side of ["base", "head"]) fleet(side, 1250);
  await check("large", {}, async (tab) => {
    assert.ok((await machines(tab)) > 1000);
    const elements = await tab.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(elements < 50_000, `${elements} elements`);
    await tab.keyboard.press("/");
    await tab.keyboard.type("east-web-1001");
    assert.equal(await machines(tab), 1);
  }, written("large.html", plan("html")));
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
console.log(`${passed} passed, 0 failed`);
