import { messageOf, ServerError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";

/** Something an adapter noticed that does not stop it. Source: the public model (Caddy 2.11), seen running */
export interface AdapterWarning {
  /** Name of the file, where it is known. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Name of the directive that the warning is about. */
  readonly directive?: string;
  readonly message: string;
}

export interface AdaptOptions {
  /** Name of the file the text came from, for messages and for paths that are relative to it. */
  readonly filename?: string | undefined;
  /**
   * Names of user modules whose code may run for the text; undefined: all, because the config is to be loaded
   * anyway.
   */
  readonly allowedModules?: readonly string[] | undefined;
}

/** The document of an adapted text. */
export interface AdaptedConfig {
  /** The whole config. */
  readonly result: JsonValue;
  readonly warnings: readonly AdapterWarning[];
}

/** Turns a text of another format into the JSON document. */
export interface ConfigAdapter {
  /** The name after the slash of a media type, and in `--adapter`. */
  readonly name: string;
  /** Further names: those of the public model, of common media types. */
  readonly aliases?: readonly string[];
  /** Endings of file names, `.yaml`, by which the command line knows the format. */
  readonly fileEndings?: readonly string[];
  /** @throws ServerError CONFIG_ADAPTER with line and column; the registry adds the adapter's name */
  adapt(text: Uint8Array, options: AdaptOptions): Promise<AdaptedConfig>;
  /**
   * The opposite: a text that adapts to the same document. Absent where there is none.
   * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the value that the format cannot express
   */
  toText?(config: JsonValue, options?: Pick<AdaptOptions, "allowedModules">): Promise<string>;
}

/** The largest text an adapter takes; JSON itself may be larger. Readers of other formats are slower by far. */
export const maxAdaptedBytes = 16 * 1024 * 1024;

/** An error at a place of the text. @param line counted from 1. @param column counted from 1 */
export function adapterError(
  message: string,
  place: { readonly line: number; readonly column: number } | undefined,
  options: AdaptOptions,
  cause?: unknown,
): ServerError {
  const file = options.filename === undefined ? "" : `${options.filename}, `;
  const where = place === undefined ? "" : `, at ${file}line ${place.line}, column ${place.column}`;
  return new ServerError("CONFIG_ADAPTER", `${message}${where}`, {
    cause,
    place: place && { file: options.filename, ...place },
  });
}

/**
 * Converts a reader's result to JSON; values that JSON cannot express are errors at their place.
 * @param value converts it
 * @param find its place, when that is an error
 */
export function jsonAt<T>(
  value: () => T,
  find: () => { readonly line: number; readonly column: number } | undefined,
  options: AdaptOptions,
): T {
  try {
    return value();
  } catch (error) {
    throw adapterError(messageOf(error), find(), options, error);
  }
}

/** The text as UTF-8, without a byte order mark. @throws ServerError CONFIG_ADAPTER over {@link maxAdaptedBytes} */
export function adapterText(bytes: Uint8Array): string {
  if (bytes.length > maxAdaptedBytes) {
    throw new ServerError(
      "CONFIG_ADAPTER",
      `a text of ${bytes.length} bytes is over the limit of ${maxAdaptedBytes}`,
    );
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
