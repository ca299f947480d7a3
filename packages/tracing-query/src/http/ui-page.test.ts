import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, version } from "lifecycle";
import { beforeEach, describe, expect, test } from "vitest";
import { UiPage } from "./ui-page.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const { gitCommit, gitVersion, buildDate } = version;
const versionJson = JSON.stringify({ gitCommit, gitVersion, buildDate });
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ui-page-"));
});

function template(prefix: string): string {
  return [
    '<base href="/" data-x>',
    `const ${prefix}_CONFIG = DEFAULT_CONFIG;`,
    `  // ${prefix}_CONFIG_JS`,
    "  // the line after it",
    `const ${prefix}_STORAGE_CAPABILITIES = DEFAULT_STORAGE_CAPABILITIES;`,
    `const ${prefix}_BACKEND_CAPABILITIES = DEFAULT_BACKEND_CAPABILITIES;`,
    `const ${prefix}_VERSION = DEFAULT_VERSION;`,
  ].join("\n");
}

async function page(
  html: string,
  { config = "", configName = "ui.json", base = "/", hasArchive = false, hasMetrics = false } = {},
): Promise<string> {
  await writeFile(join(folder, "index.html"), html);
  const configFile = config === "" ? "" : join(folder, configName);
  if (configFile !== "") {
    await writeFile(configFile, config);
  }
  const settings = {
    folder,
    configFile,
    hasArchive: async () => hasArchive,
    hasMetrics: async () => hasMetrics,
  };
  return await (await UiPage.open(settings, log)).read(base);
}

describe.each(["TRACING", "JAEGER"])("names with %s_", (prefix) => {
  test("facts of the process are filled in", async () => {
    expect(await page(template(prefix), { base: "/p/q/" })).toBe(
      [
        '<base href="/p/q/" data-x>',
        `const ${prefix}_CONFIG = DEFAULT_CONFIG;`,
        `  // ${prefix}_CONFIG_JS`,
        "  // the line after it",
        `const ${prefix}_STORAGE_CAPABILITIES = {"archiveStorage":false,"metricsStorage":false};`,
        `const ${prefix}_BACKEND_CAPABILITIES = {"archiveStorage":false,"metricsStorage":false,"searchWithoutServiceName":true,"aiAssistant":false};`,
        `const ${prefix}_VERSION = ${versionJson};`,
      ].join("\n"),
    );
  });

  test("it is told whether traces can be archived, and whether there are metrics", async () => {
    const html = await page(template(prefix), { hasArchive: true, hasMetrics: true });
    const said = '"archiveStorage":true,"metricsStorage":true';
    expect(html).toContain(`const ${prefix}_STORAGE_CAPABILITIES = {${said}};`);
    expect(html).toContain(`const ${prefix}_BACKEND_CAPABILITIES = {${said},`);
  });

  test("a JSON configuration stands in a script safely", async () => {
    const html = await page(template(prefix), { config: '{"menu": "</script>$&"}' });
    expect(html).toContain(
      `const ${prefix}_CONFIG = {"menu":"\\u003c/script>$&"};\n  // ${prefix}_CONFIG_JS`,
    );
  });

  test("a script takes the place of the comment and the line after it", async () => {
    const config = "function UIConfig(){\n  return {};\n}\n";
    const html = await page(template(prefix), { config, configName: "ui.js" });
    expect(html).toContain(`DEFAULT_CONFIG;\n${config.trim()}\nconst ${prefix}_STORAGE`);
    expect(html).not.toContain("the line after it");
  });
});

test("facts beside the page: a script of its own is filled in as the page is; a page without one has none", async () => {
  await writeFile(join(folder, "index.html"), '<base href="/">');
  const configFile = join(folder, "ui.json");
  await writeFile(configFile, '{"a": 1}');
  const opened = await UiPage.open({ folder, configFile }, log);
  expect(await opened.readScript()).toBeUndefined();
  await writeFile(join(folder, "page-facts.js"), template("TRACING"));
  expect(await opened.readScript()).toContain(`const TRACING_VERSION = ${versionJson};`);
  expect(await opened.readScript()).toContain('const TRACING_CONFIG = {"a":1};');
  expect(await opened.read("../")).toBe('<base href="../">');
});

test("without a build the page says so, and how to get one", async () => {
  const opened = await UiPage.open({ folder: join(folder, "none"), configFile: "" }, log);
  const html = await opened.read("/p/");
  expect(html).toContain("The UI is not built");
  expect(html).toContain('<base href="/p/">');
});

test.each([
  ["ui.json", "{", /UI page: .*JSON/],
  ["ui.js", "const x = 1;", /does not define function UIConfig\(\)\{/],
  ["ui.yaml", "a: 1", /is neither a .json nor a .js file/],
])("a configuration %s that holds %j cannot start", async (configName, config, message) => {
  await expect(page(template("TRACING"), { config, configName })).rejects.toThrow(message);
});

test("a configuration file that is missing cannot start", async () => {
  const configFile = join(folder, "none.json");
  await expect(UiPage.open({ folder, configFile }, log)).rejects.toThrow(/none\.json/);
});

test("follows changes; a configuration that breaks leaves the last good page", async () => {
  const configFile = join(folder, "ui.json");
  await writeFile(join(folder, "index.html"), "TRACING_CONFIG = DEFAULT_CONFIG;");
  await writeFile(configFile, "1");
  const opened = await UiPage.open({ folder, configFile }, log);
  await writeFile(configFile, "2");
  expect(await opened.read("/")).toBe("TRACING_CONFIG = 2;");
  await writeFile(configFile, "{");
  expect(await opened.read("/")).toBe("TRACING_CONFIG = 2;");
  await rm(configFile);
  expect(await opened.read("/")).toBe("TRACING_CONFIG = 2;");
  await writeFile(configFile, "3");
  expect(await opened.read("/")).toBe("TRACING_CONFIG = 3;");
});
