import { readdir, stat } from "node:fs/promises";
import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import { readPlaceholder } from "http-engine/placeholders";
import { askItself } from "http-engine/virtual-stream";
import { messageOf } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { joinSitePath } from "../../files/site-path.ts";
import { escapeHtml } from "./basic-functions.ts";
import type { TemplateFunction, TemplateRun } from "./evaluate-template.ts";
import { fileStruct } from "./file-struct.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { humanize } from "./humanize.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { TemplateError } from "./template-error.ts";
import { parseTemplate } from "./template-parser.ts";
import { printed } from "./template-values.ts";

/** Size limit of an included file, in bytes. */
const maxFileBytes = 16 * 1024 * 1024;

/** The request and folders that site functions use. */
export interface SiteFunctionOptions {
  /** Request whose page is rendered. */
  readonly exchange: Exchange;
  /** Folder for included files. */
  readonly root: string;
  /** Delimiters of actions. Default: `{{` and `}}`. */
  readonly delimiters: readonly [open: string, close: string];
  /** The run of the calling template; included files run in it too. */
  readonly run: () => TemplateRun;
  /** Creates the dot of an included file from these arguments. */
  readonly contextWith: (args: readonly unknown[]) => unknown;
}

/**
 * Removes tags from a text. Quoted attributes may contain angle brackets. The text of an unclosed tag is dropped:
 * `<<b>script>` must not become a tag. The result is not safe HTML: use `html` to make text safe.
 * Source: Caddy 2.11, `stripHTML`
 */
function stripHtml(text: string): string {
  let [stripped, depth, quote] = ["", 0, ""];
  for (const character of text) {
    if (depth > 0 && quote === "" && (character === '"' || character === "'")) {
      quote = character;
    } else if (depth > 0 && character === quote) {
      quote = "";
    } else if (character === "<" && quote === "") {
      depth++;
    } else if (character === ">" && quote === "" && depth > 0) {
      depth--;
    } else if (depth === 0) {
      stripped += character;
    }
  }
  return stripped;
}

/** Replaces `$NAME` and `${NAME}` by environment variables; an unknown name becomes "". Source: Go, `os.ExpandEnv` */
function expandEnvironment(text: string): string {
  return text.replace(
    /\$(?:\{([^}]*)\}|(\w+|[*#$@!?-]))/g,
    (_, braced: string | undefined, bare: string | undefined) => process.env[braced ?? bare ?? ""] ?? "",
  );
}

/** Reads a text file of the site. @throws TemplateError with the file name as written in the template */
async function readSiteFile(root: string, name: unknown): Promise<string> {
  const path = joinSitePath(root, printed(name));
  try {
    return textOfBuffer(await readRegularFile(path, maxFileBytes));
  } catch (error) {
    throw new TemplateError(`reading ${JSON.stringify(printed(name))}: ${messageOf(error)}`);
  }
}

/** Functions that read files below the root. */
function fileFunctions(root: string): Record<string, TemplateFunction> {
  return {
    readFile: (name: unknown) => readSiteFile(root, name),
    async fileExists(name: unknown) {
      return stat(joinSitePath(root, printed(name))).then(
        () => true,
        () => false,
      );
    },
    async fileStat(name: unknown) {
      const found = await stat(joinSitePath(root, printed(name)), { bigint: true });
      return fileStruct(printed(name).replace(/\/+$/, "").split("/").at(-1) || "/", found);
    },
    async listFiles(name: unknown) {
      return (await readdir(joinSitePath(root, printed(name)))).sort();
    },
  };
}

/** Adds the file name to a template error. */
async function within<T>(name: unknown, use: () => T): Promise<Awaited<T>> {
  try {
    return await use();
  } catch (error) {
    throw error instanceof TemplateError
      ? new TemplateError(`${printed(name)}: ${error.message}`, { cause: error })
      : error;
  }
}

/** Functions that need neither the request nor files of the site. */
const textFunctions: Readonly<Record<string, TemplateFunction>> = {
  markdown: (text: unknown) => renderMarkdown(printed(text)),
  splitFrontMatter: (text: unknown) => splitFrontMatter(printed(text)),
  env: (name: unknown) => process.env[printed(name)] ?? "",
  expandenv: (text: unknown) => expandEnvironment(printed(text)),
  stripHTML: (text: unknown) => stripHtml(printed(text)),
  humanize: (format: unknown, value: unknown) => humanize(printed(format), value),
  // No module adds functions, so `maybe` always prints nothing.
  maybe: () => "",
  httpError(status: unknown) {
    throw new HttpError(Number(status), `template asked for status ${printed(status)}`);
  },
  pathEscape: (text: unknown) => encodeURIComponent(printed(text)),
  safeHTML: (text: unknown) => printed(text),
  htmlEscape: (text: unknown) => escapeHtml(printed(text)),
};

/**
 * Functions that use the site and the request. Files are read only below the root. `httpInclude` sends a request to
 * this server, without a connection.
 * Source: Caddy 2.11, handler templates
 */
export function siteFunctions(options: SiteFunctionOptions): Record<string, TemplateFunction> {
  const { exchange, root } = options;
  const parse = (text: string) => parseTemplate(text, ...options.delimiters);
  const placeholder = (name: unknown) => readPlaceholder(exchange, printed(name)) ?? "";

  return {
    ...textFunctions,
    ...fileFunctions(root),
    async include(name: unknown, ...args: unknown[]) {
      const text = await readSiteFile(root, name);
      return within(name, () => options.run().run(parse(text), options.contextWith(args)));
    },
    async import(name: unknown) {
      const text = await readSiteFile(root, name);
      await within(name, () => options.run().define(parse(text)));
      return "";
    },
    async httpInclude(uri: unknown) {
      const { status, body } = await askItself(exchange, printed(uri));
      if (status >= 400) {
        throw new TemplateError(`http ${status}`);
      }
      return options.run().run(parse(textOfBuffer(body)), options.contextWith([]));
    },
    placeholder,
    ph: placeholder,
  };
}
