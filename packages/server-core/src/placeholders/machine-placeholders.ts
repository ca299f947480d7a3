import { hostname } from "node:os";
import { ServerError } from "../errors.ts";
import { readRegularFileSync } from "../files/read-regular-file.ts";
import { formatGoTime } from "../go/go-time.ts";
import { textOfBuffer } from "../uri/text-of-bytes.ts";
import { scanPlaceholders } from "./scan-placeholders.ts";

const maxFileBytes = 1024 * 1024;

/**
 * Text of a file without its final newline; "" when the file cannot be read or exceeds 1 MiB. Each call reads the file.
 */
function fileText(path: string): string {
  try {
    return textOfBuffer(readRegularFileSync(path, maxFileBytes)).replace(/\r?\n$/, "");
  } catch {
    return "";
  }
}

/** Go's names of architectures, which Caddy uses, where Node's names differ. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", mipsel: "mipsle" };
const systems: Readonly<Record<string, string>> = { win32: "windows", sunos: "solaris" };

/** The present time by a layout of Go, in the zone of the machine. */
function localNow(layout: string): string {
  const now = new Date();
  return formatGoTime(now, layout, -now.getTimezoneOffset());
}

const values: ReadonlyMap<string, () => string> = new Map([
  ["system.hostname", () => hostname()],
  ["system.os", () => systems[process.platform] ?? process.platform],
  ["system.arch", () => architectures[process.arch] ?? process.arch],
  ["system.wd", () => process.cwd()],
  ["system.slash", () => "/"],
  ["time.now", () => new Date().toISOString()],
  ["time.now.http", () => new Date().toUTCString()],
  ["time.now.rfc3339", () => localNow("2006-01-02T15:04:05Z07:00")],
  ["time.now.common_log", () => localNow("02/Jan/2006:15:04:05 -0700")],
  ["time.now.year", () => String(new Date().getFullYear())],
  ["time.now.unix", () => String(Math.floor(Date.now() / 1000))],
  ["time.now.unix_ms", () => String(Date.now())],
]);

/** The reader of a placeholder that does not need a request; undefined for other placeholders. Source: Caddy 2.11 */
export function machineReader(name: string): (() => string) | undefined {
  if (name.startsWith("env.")) {
    const variable = name.slice("env.".length);
    return () => process.env[variable] ?? "";
  }
  if (name.startsWith("file.")) {
    const path = name.slice("file.".length);
    return () => fileText(path);
  }
  return values.get(name);
}

/** Additional placeholders for one text, such as `{pki.ca.name}`. */
export type MorePlaceholders = Readonly<Record<string, string>>;

function valueNamed(name: string, more: MorePlaceholders): string | undefined {
  return Object.hasOwn(more, name) ? more[name] : machineReader(name)?.();
}

function isPlain(text: string): boolean {
  return !text.includes("{") && !text.includes("}");
}

/** Replaces the placeholders of a config text by their values; unknown placeholders become empty. */
export function replaceAll(text: string, more: MorePlaceholders = {}): string {
  return isPlain(text)
    ? text
    : scanPlaceholders(text, () => true)
        .map((part) => (typeof part === "string" ? part : (valueNamed(part.name, more) ?? "")))
        .join("");
}

function refuse(name: string, value: string | undefined): ServerError {
  return new ServerError(
    "MODULE_CONFIG",
    value === undefined ? `unrecognized placeholder {${name}}` : `evaluated placeholder {${name}} is empty`,
  );
}

/**
 * Like {@link replaceAll}, but unknown placeholders stay unchanged.
 * @param options `mayBeEmpty: false` refuses a placeholder without a value. @throws ServerError MODULE_CONFIG for a
 * refused placeholder
 */
export function replaceKnown(
  text: string,
  { more = {}, mayBeEmpty = true }: { readonly more?: MorePlaceholders; readonly mayBeEmpty?: boolean } = {},
): string {
  if (isPlain(text)) {
    return text;
  }
  const isKnown = (name: string) => Object.hasOwn(more, name) || machineReader(name) !== undefined;
  return scanPlaceholders(text, isKnown)
    .map((part) => {
      if (typeof part === "string") {
        return part;
      }
      const value = valueNamed(part.name, more) ?? "";
      if (value === "" && !mayBeEmpty) {
        throw refuse(part.name, value);
      }
      return value;
    })
    .join("");
}

/**
 * Like {@link replaceAll}, for texts that are invalid when a value is missing.
 * @throws ServerError MODULE_CONFIG for a placeholder that is unknown or empty
 */
export function replaceStrictly(text: string): string {
  return isPlain(text)
    ? text
    : scanPlaceholders(text, () => true)
        .map((part) => {
          if (typeof part === "string") {
            return part;
          }
          const value = machineReader(part.name)?.();
          if (value === undefined || value === "") {
            throw refuse(part.name, value);
          }
          return value;
        })
        .join("");
}
