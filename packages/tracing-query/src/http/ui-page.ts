import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import { version } from "lifecycle/version";

/** Files of the UI, and facts about the store for the page. */
export interface UiPageSettings {
  /** Folder with `index.html`. */
  readonly folder: string;
  /** File with the UI's configuration, `.json` or `.js`; "" for none. */
  readonly configFile: string;
  /** Resolves to true when the page offers archiving; absent means false. */
  readonly hasArchive?: () => Promise<boolean>;
  /** Resolves to true when the page shows rates, errors and durations; absent means false. */
  readonly hasMetrics?: () => Promise<boolean>;
}

/** The page of a server without a built UI. The API works without the UI. */
const noUiPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><base href="/"><title>Tracing</title></head>
<body>
<h1>The UI is not built</h1>
<p>Build it with <code>pnpm --filter tracing-ui build</code>, or name a folder with <code>--query.static-files</code>.</p>
<p>The API works: see <a href="api/services">api/services</a>.</p>
</body>
</html>
`;

/** JSON that is safe inside a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** True for the error of a missing file. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/**
 * A place of the page that this process fills in: `TRACING_VERSION = DEFAULT_VERSION;`, or Jaeger's
 * name with `JAEGER_`, so that a build of its UI works too.
 */
function assignment(name: string): RegExp {
  return new RegExp(`((?:TRACING|JAEGER)_${name}) *= *DEFAULT_${name};`, "g");
}

// The line of the page that a `.js` configuration replaces, together with the line after it.
const configJsLines = /^[ \t]*\/\/[ \t]*(?:TRACING|JAEGER)_CONFIG_JS.*\n.*/gim;

/** The store's abilities, by Jaeger's names. */
interface Capabilities {
  readonly archiveStorage: boolean;
  readonly metricsStorage: boolean;
}

/** Writes facts of this process into the page. Replacements are functions, because `$` is special in a text. */
function fillIn(html: string, capabilities: Capabilities): string {
  const { gitCommit, gitVersion, buildDate } = version;
  const storage = scriptJson(capabilities);
  // Later releases of Jaeger's UI read these capabilities instead of STORAGE_CAPABILITIES.
  const backend = scriptJson({ ...capabilities, searchWithoutServiceName: true, aiAssistant: false });
  const versionJson = scriptJson({ gitCommit, gitVersion, buildDate });
  return html
    .replace(assignment("STORAGE_CAPABILITIES"), (_, name) => `${name} = ${storage};`)
    .replace(assignment("BACKEND_CAPABILITIES"), (_, name) => `${name} = ${backend};`)
    .replace(assignment("VERSION"), (_, name) => `${name} = ${versionJson};`);
}

/**
 * Puts the configuration of --query.ui-config into the page. @throws Error for another kind of file, or a
 * script without `function UIConfig(){`
 */
async function withConfig(html: string, file: string): Promise<string> {
  const text = await readFile(file, "utf8");
  switch (extname(file)) {
    case ".json": {
      const json = scriptJson(JSON.parse(text));
      return html.replace(assignment("CONFIG"), (_, name) => `${name} = ${json};`);
    }
    case ".js":
      if (!/^\s*function\s+UIConfig\s*\(\s*\)\s*\{/m.test(text)) {
        throw new Error(`${file} does not define function UIConfig(){`);
      }
      return html.replace(configJsLines, () => text.trim());
    default:
      throw new Error(`${file} is neither a .json nor a .js file`);
  }
}

/** The facts of this process that the UI reads, in the page or in a script beside it. */
interface UiTexts {
  /** The page with all facts filled in. */
  readonly page: string;
  /** `page-facts.js`; undefined for a UI without it, such as Jaeger's. */
  readonly script: string | undefined;
}

/** The text of a file; undefined when there is none. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!isMissing(error)) {
      throw error;
    }
    return undefined;
  }
}

const noCapabilities: Capabilities = { archiveStorage: false, metricsStorage: false };

/** Reads both files and fills in the facts. */
async function build(
  { folder, configFile }: UiPageSettings,
  capabilities = noCapabilities,
): Promise<UiTexts> {
  const complete = async (text: string) => {
    const filled = fillIn(text, capabilities);
    return configFile === "" ? filled : await withConfig(filled, configFile);
  };
  const script = await readIfThere(join(folder, "page-facts.js"));
  return {
    page: await complete((await readIfThere(join(folder, "index.html"))) ?? noUiPage),
    script: script === undefined ? undefined : await complete(script),
  };
}

/**
 * The page for every unknown path, and the script beside it. Both files are read for each request, so a new
 * build or configuration works without a restart. While they cannot be read, the last good page is served.
 */
export class UiPage {
  readonly #settings: UiPageSettings;
  readonly #log: Logger;
  /** Served while the files cannot be read. */
  #lastGood: UiTexts;
  /** The last problem that was logged; the same one is logged once. */
  #lastProblem = "";

  private constructor(settings: UiPageSettings, log: Logger, texts: UiTexts) {
    this.#settings = settings;
    this.#log = log;
    this.#lastGood = texts;
  }

  /** @throws StartError when the configuration cannot be used */
  static async open(settings: UiPageSettings, log: Logger): Promise<UiPage> {
    try {
      return new UiPage(settings, log, await build(settings));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new StartError(`UI page: ${message}: see --query.ui-config and --query.static-files`, {
        cause: error,
      });
    }
  }

  /** The page. @param base prefix of the page's addresses: ends with a slash, and is safe in an attribute */
  async read(base: string): Promise<string> {
    return (await this.#texts()).page.replace('<base href="/"', () => `<base href="${base}"`);
  }

  /** The script with the facts of this process; undefined when the page itself holds them. */
  async readScript(): Promise<string | undefined> {
    return (await this.#texts()).script;
  }

  /** Builds the current texts, or returns the last good ones. */
  async #texts(): Promise<UiTexts> {
    try {
      const [archiveStorage = false, metricsStorage = false] = await Promise.all([
        this.#settings.hasArchive?.(),
        this.#settings.hasMetrics?.(),
      ]);
      this.#lastGood = await build(this.#settings, { archiveStorage, metricsStorage });
      this.#lastProblem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#lastProblem) {
        this.#log.warn(`UI page: keeping the last good one: ${problem}`);
        this.#lastProblem = problem;
      }
    }
    return this.#lastGood;
  }
}
