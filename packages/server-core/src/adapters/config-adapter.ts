import { messageOf, ServerError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";

/** A warning of an adapter, which does not stop the conversion. Source: Caddy 2.11, seen running */
export interface AdapterWarning {
  /** Name of the file, if it is known. */
  readonly file?: string;
  /** Line, counted from 1. */
  readonly line?: number;
  /** Directive to which the warning applies. */
  readonly directive?: string;
  readonly message: string;
}

export interface AdaptOptions {
  /** Name of the text's file, for messages and for relative paths in it. */
  readonly filename?: string | undefined;
  /**
   * Names of user modules whose code may run for the text. Undefined: all, because the config will be loaded anyway.
   */
  readonly allowedModules?: readonly string[] | undefined;
}

/** The document that results from a text. */
export interface AdaptedConfig {
  /** The whole config. */
  readonly result: JsonValue;
  readonly warnings: readonly AdapterWarning[];
}

/** Converts a text of another format to the JSON document. */
export interface ConfigAdapter {
  /** Name in media types after the slash, and in `--adapter`. */
  readonly name: string;
  /** Further names: from Caddy, and from common media types. */
  readonly aliases?: readonly string[];
  /** File name extensions, such as `.yaml`, by which the command line recognizes the format. */
  readonly fileEndings?: readonly string[];
  /** @throws ServerError CONFIG_ADAPTER with line and column; the registry adds the adapter's name */
  adapt(text: Uint8Array, options: AdaptOptions): Promise<AdaptedConfig>;
  /**
   * Converts the JSON document to a text that `adapt` converts back to the same document. Absent when the format cannot
   * be written.
   * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the value that the format cannot express
   */
  toText?(config: JsonValue, options?: Pick<AdaptOptions, "allowedModules">): Promise<string>;
}

/**
 * Size limit of a text for an adapter, in bytes. JSON may be larger, because readers of other formats are far slower.
 */
export const maxAdaptedBytes = 16 * 1024 * 1024;

/** An error at a position of the text. Line and column are counted from 1. */
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
 * Converts a reader's result to JSON. The error for a value that JSON cannot express contains the value's position.
 * @param value converts the result
 * @param find finds the position of the value that JSON cannot express
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
