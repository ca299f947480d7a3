import { StartError } from "lifecycle";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

const maxFileBytes = 1024 * 1024;
/** Maximum number of settings, because YAML aliases can repeat a part of the file many times. */
const maxSettings = 20_000;
const maxDepth = 64;

export type SettingValue = string | number | boolean | null;

/** One setting of a configuration: a scalar, an empty mapping, or a list of scalars. */
export interface Setting {
  /**
   * Path of the setting: `["receivers", "otlp", "protocols", "grpc", "endpoint"]`. Items in a list of mappings are
   * named by their index.
   */
  readonly path: readonly string[];
  /** Line of the setting, from 1. */
  readonly line: number;
  readonly value: SettingValue | readonly SettingValue[];
}

/** The settings of a YAML configuration, in the order of the file. */
export interface SourceConfig {
  readonly settings: readonly Setting[];
  /** First line of each mapping and setting, by its path joined with `\n`. */
  readonly lines: ReadonlyMap<string, number>;
}

/** A path as the key of a map. Keys may contain dots, so a line feed joins them. */
export const pathKey = (path: readonly string[]): string => path.join("\n");

/** @throws StartError when the text is not YAML, is not a mapping, or has too many characters, settings or levels */
export function readSourceConfig(text: string, origin: string): SourceConfig {
  const refuse = (what: string) => new StartError(`migrate-config: ${origin} ${what}`);
  if (text.length > maxFileBytes) {
    throw refuse(`has ${text.length} characters, over the limit of ${maxFileBytes}`);
  }
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false, merge: true });
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw refuse(`is not YAML: ${fault.message.split("\n")[0]}`);
  }
  if (!isMap(document.contents)) {
    throw refuse("must be a mapping");
  }
  const settings: Setting[] = [];
  const lines = new Map<string, number>();
  const lineOf = (node: unknown, parent: number): number => {
    const range = (node as Node | null)?.range;
    return range ? counter.linePos(range[0]).line : parent;
  };
  const scalarOf = (node: unknown): SettingValue => {
    const target = isAlias(node) ? node.resolve(document) : node;
    const value = isScalar(target) ? target.value : null;
    return typeof value === "object" ? null : (value as SettingValue);
  };
  // Mappings and lists of mappings are visited; everything else is one setting. `<<` merges its value into its parent.
  const visit = (node: unknown, path: readonly string[], line: number): void => {
    if (path.length > maxDepth || settings.length >= maxSettings) {
      throw refuse(`has over ${maxSettings} settings, or over ${maxDepth} levels`);
    }
    if (isAlias(node)) {
      visit(node.resolve(document), path, line);
    } else if (isMap(node) && node.items.length > 0) {
      for (const { key, value } of node.items) {
        const name = String(isScalar(key) ? key.value : key);
        const keyLine = lineOf(key, line);
        const child = name === "<<" ? path : [...path, name];
        lines.set(pathKey(child), keyLine);
        visit(value, child, keyLine);
      }
    } else if (isSeq(node) && node.items.some((item) => isMap(item))) {
      for (const [index, item] of node.items.entries()) {
        const child = [...path, String(index)];
        lines.set(pathKey(child), lineOf(item, line));
        visit(item, child, lineOf(item, line));
      }
    } else if (isSeq(node)) {
      settings.push({ path, line, value: node.items.map(scalarOf) });
    } else {
      settings.push({ path, line, value: scalarOf(node) });
    }
  };
  visit(document.contents, [], 1);
  return { settings, lines };
}
