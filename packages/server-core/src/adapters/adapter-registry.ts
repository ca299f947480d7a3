import { errorWithin, messageOf, ServerError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { AdaptedConfig, AdaptOptions, ConfigAdapter } from "./config-adapter.ts";

/**
 * Maximum number of characters of an error message; the middle of a longer one is cut out. Messages quote words of the
 * text, which may be as long as the text.
 */
const maxMessageLength = 4_000;

/** Shortens a message in its middle: the end contains the position of the fault. */
function shortened(message: string): string {
  const half = maxMessageLength / 2;
  return message.length <= maxMessageLength ? message : `${message.slice(0, half)} … ${message.slice(-half)}`;
}

/** All formats in which a config may be written, except JSON. */
export class AdapterRegistry {
  readonly #byName = new Map<string, ConfigAdapter>();
  readonly #adapters: readonly ConfigAdapter[];

  /** @throws ServerError MODULE_DUPLICATE when two adapters share a name */
  constructor(adapters: readonly ConfigAdapter[]) {
    this.#adapters = adapters;
    for (const adapter of adapters) {
      for (const name of [adapter.name, ...(adapter.aliases ?? [])]) {
        if (this.#byName.has(name)) {
          throw new ServerError("MODULE_DUPLICATE", `config adapter ${name} is listed twice`);
        }
        this.#byName.set(name, adapter);
      }
    }
  }

  /** Names of the adapters, without aliases. */
  get names(): string[] {
    return this.#adapters.map((adapter) => adapter.name);
  }

  /** Name of the adapter for a file, by the extension of the file's name; undefined when there is none. */
  nameForFile(file: string): string | undefined {
    const lower = file.toLowerCase();
    return this.#adapters.find((each) => each.fileEndings?.some((ending) => lower.endsWith(ending)))?.name;
  }

  /**
   * @param name part of a media type after the slash
   * @throws ServerError CONFIG_ADAPTER: `unrecognized config adapter 'x'`, or `adapting config using x adapter: …`
   * Source: Caddy 2.11, seen running
   */
  async adapt(name: string, text: Uint8Array, options: AdaptOptions = {}): Promise<AdaptedConfig> {
    const adapter = this.#byName.get(name);
    if (adapter === undefined) {
      throw new ServerError("CONFIG_ADAPTER", `unrecognized config adapter '${name}'`);
    }
    try {
      return await adapter.adapt(text, options);
    } catch (error) {
      const where = `adapting config using ${name} adapter`;
      const message = messageOf(error);
      throw error instanceof ServerError && message.length <= maxMessageLength
        ? errorWithin(where, error)
        : new ServerError("CONFIG_ADAPTER", `${where}: ${shortened(message)}`, { cause: error });
    }
  }

  /**
   * True when the format can also be a target: the adapter has `toText`. @param name part of a media type after the
   * slash
   */
  writes(name: string): boolean {
    return this.#byName.get(name)?.toText !== undefined;
  }

  /**
   * Writes a config in a format for which {@link writes} is true.
   * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the value that the format cannot express
   */
  async toText(
    name: string,
    config: JsonValue,
    options: Pick<AdaptOptions, "allowedModules"> = {},
  ): Promise<string> {
    const text = await this.#byName.get(name)?.toText?.(config, options);
    if (text === undefined) {
      throw new ServerError("CONFIG_INEXPRESSIBLE", `configs are not written as ${name}`);
    }
    return text;
  }
}
