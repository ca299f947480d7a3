// Steps from a text to a config:
//
// | step | folder | result |
// |---|---|---|
// | insert environment variables | lexer | text |
// | words | lexer | tokens with file and line |
// | blocks, imports, snippets | parse | `SiteBlock` |
// | global options | global-options | `GlobalOptions` |
// | directives of each site | directives, modules | `DirectiveResult` |
// | sites by listen address | sites | servers |
// | servers, TLS, logs | servers, tls | JSON config |

import {
  type AdaptedConfig,
  type AdapterWarning,
  type AdaptOptions,
  adapterText,
} from "server-core/adapters/config-adapter";
import { ServerError } from "server-core/errors";
import { buildConfig, globalSegments } from "./build-config.ts";
import { formattingWarning } from "./format/formatting-warning.ts";
import { namedModules } from "./global-options/read-options.ts";
import { parseSites } from "./parse/parse-sites.ts";
import type { SiteBlock } from "./parse/site-block.ts";
import type { TextFeatures } from "./text-features.ts";

/** Default file name of a serverfile. File servers do not serve the file with this name. */
const defaultFileName = "Serverfile";

/** A serverfile parsed to blocks; its directives are not interpreted yet. */
export class ParsedServerfile {
  readonly #blocks: readonly SiteBlock[];
  readonly #warnings: readonly AdapterWarning[];

  /**
   * Reads the environment variables of the process, and imported files.
   * An empty text is refused with "EOF", as in Caddy.
   * @throws ServerError CONFIG_ADAPTER with file and line
   */
  constructor(bytes: Uint8Array, { filename = defaultFileName }: AdaptOptions) {
    const text = adapterText(bytes);
    if (text === "") {
      throw new ServerError("CONFIG_ADAPTER", "EOF");
    }
    const warnings: AdapterWarning[] = [];
    const warn = (message: string) => warnings.push({ file: filename, message });
    this.#blocks = parseSites(text, filename, { environment: process.env, warn });
    const unformatted = formattingWarning(filename, text);
    this.#warnings = unformatted === undefined ? warnings : [...warnings, unformatted];
  }

  /** Files or packages with the user's own modules, as the text names them. */
  get modules(): string[] {
    return namedModules(globalSegments(this.#blocks) ?? []);
  }

  /**
   * Returns the JSON config.
   * @param features readers and writers of the server's modules, and of {@link modules}
   * @throws ServerError CONFIG_ADAPTER with file and line
   */
  adapt(features: TextFeatures): AdaptedConfig {
    return { result: buildConfig(this.#blocks, features), warnings: this.#warnings };
  }
}

/**
 * Converts a serverfile to the JSON config.
 * @throws ServerError CONFIG_ADAPTER with file and line
 */
export function adaptServerfile(
  bytes: Uint8Array,
  options: AdaptOptions,
  features: TextFeatures,
): AdaptedConfig {
  return new ParsedServerfile(bytes, options).adapt(features);
}
