import { z } from "zod";
import { HeadingIds } from "../markdown/heading-ids.ts";
import type { SourcePage } from "../site/page.ts";
import { cell, code, row } from "./markdown-cells.ts";

/** The shown parts of JSON Schema. */
interface Schema {
  readonly [keyword: string]: unknown;
}

/** The schema of a whole configuration, from `GET /config/schema`. */
export const configSchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  $defs: z.record(z.string(), z.looseObject({})),
});

/** One row of a page's table. */
interface Field {
  /** Path of the field: `routes[].handle[].body`. */
  readonly path: string;
  /** Types of the field, as Markdown. */
  readonly type: string;
  /** True when the schema requires the field. */
  readonly isNeeded: boolean;
  /** Description of the field; "" for none. */
  readonly description: string;
}

/** Deepest nesting of a shown schema, deeper than any of our configs. The limit ends recursive schemas. */
const mostDepth = 8;

/** The value as a schema; undefined for lists and plain values. */
function asSchema(value: unknown): Schema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}

/** Alternative schemas of a value, without null. */
function variants(schema: Schema): Schema[] {
  const list = [schema.anyOf, schema.oneOf].flatMap((each) =>
    Array.isArray(each) ? (each as unknown[]) : [],
  );
  const others = list
    .map(asSchema)
    .filter((each) => each !== undefined)
    .filter(({ type }) => type !== "null");
  return others.length === 0 ? [schema] : others;
}

/**
 * The definition that a schema refers to: `#/$defs/one:http.handlers:handler` becomes
 * `one:http.handlers:handler`.
 */
function refOf(schema: Schema): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.slice("#/$defs/".length) : undefined;
}

/** Relative link from a page to the list of all modules, and the namespaces that have modules. */
interface ModuleIndex {
  readonly href: string;
  readonly namespaces: ReadonlySet<string>;
}

/**
 * Converts a reference to the modules of a namespace to a link to their list; undefined for another reference.
 *
 * ```
 * one:http.handlers:handler  →  one of [http.handlers](index.md#httphandlers)
 * map:http.matchers          →  by name: [http.matchers](index.md#httpmatchers)
 * ```
 */
function namespaceLink(ref: string, index: ModuleIndex): string | undefined {
  const [kind, namespace = ""] = ref.split(":");
  if (kind !== "one" && kind !== "map") {
    return undefined;
  }
  const name = namespace === "" ? "apps" : namespace;
  if (!index.namespaces.has(namespace)) {
    return `one of ${name}, of which there is none yet`;
  }
  return `${kind === "one" ? "one of" : "by name:"} [${name}](${index.href}#${new HeadingIds().next(name)})`;
}

/** The types of a value as text: "string or list of string", `"deny"`, or a link to modules. */
function typeText(schema: Schema, index: ModuleIndex): string {
  const texts = variants(schema).flatMap((variant): string[] => {
    const ref = refOf(variant);
    if (ref !== undefined) {
      return [namespaceLink(ref, index) ?? "as above"];
    }
    if ("const" in variant) {
      return [code(JSON.stringify(variant.const))];
    }
    if (Array.isArray(variant.enum)) {
      return variant.enum.map((value) => code(JSON.stringify(value)));
    }
    const types = [variant.type].flat().filter((type) => typeof type === "string" && type !== "null");
    const items = asSchema(variant.items);
    if (types.includes("array") && items !== undefined) {
      return [`list of ${typeText(items, index)}`];
    }
    return types.length === 0 ? ["any"] : types.map(String);
  });
  return [...new Set(texts)].join(" or ");
}

/**
 * The fields of a schema and of all nested schemas, depth first. Paths have `[]` for elements of lists,
 * and `*` for values of maps.
 */
function* fieldsOf(schema: Schema, path: string, index: ModuleIndex, depth = 0): Generator<Field> {
  if (depth > mostDepth) {
    return;
  }
  for (const variant of variants(schema)) {
    const items = asSchema(variant.items);
    if (items !== undefined) {
      yield* fieldsOf(items, `${path}[]`, index, depth + 1);
    }
    const values = asSchema(variant.additionalProperties);
    if (values !== undefined && Object.keys(values).length > 0) {
      yield* fieldsOf(values, path === "" ? "*" : `${path}.*`, index, depth + 1);
    }
    const needed = Array.isArray(variant.required) ? (variant.required as unknown[]) : [];
    for (const [name, value] of Object.entries(asSchema(variant.properties) ?? {})) {
      const child = asSchema(value);
      if (child === undefined || name === "@id") {
        continue;
      }
      const childPath = path === "" ? name : `${path}.${name}`;
      const description = typeof child.description === "string" ? child.description : "";
      yield { path: childPath, type: typeText(child, index), isNeeded: needed.includes(name), description };
      yield* fieldsOf(child, childPath, index, depth + 1);
    }
  }
}

/**
 * The table of a schema's fields, or one line for a schema without fields. A field of several variants has one
 * row.
 */
function fieldTable(schema: Schema, index: ModuleIndex): string {
  const seen = new Set<string>();
  const rows = [...fieldsOf(schema, "", index)]
    .filter(({ path }) => !seen.has(path) && seen.add(path))
    .map(({ path, type, isNeeded, description }) =>
      row(code(path), type, cell([isNeeded ? "**needed**" : "", description].filter(Boolean).join("; "))),
    );
  const takes = typeText(schema, index);
  return rows.length === 0
    ? `Takes: ${takes === "object" ? "nothing" : takes}.`
    : ["| Field | Type | Meaning |", "|---|---|---|", ...rows].join("\n");
}

/** One module: its id, and the schema of its config. */
interface ModuleEntry {
  /** Id of the module: `http.handlers.rewrite`. */
  readonly id: string;
  /** The id without its last part: `http.handlers`. "" for apps. */
  readonly namespace: string;
  /** The member that names an inline module; undefined for a module that a key names. */
  readonly key: string | undefined;
  /** Schema of the module's config. */
  readonly schema: Schema;
}

/**
 * The modules in the schema's definitions. `inline:http.handlers.rewrite:handler` is a module that a member
 * names; a definition without a colon is a module that a key names.
 */
function moduleEntries(definitions: Readonly<Record<string, Schema>>): ModuleEntry[] {
  const entries = Object.entries(definitions).flatMap(([name, schema]): ModuleEntry[] => {
    const [kind = "", id = "", key] = name.split(":");
    const moduleId = kind === "inline" ? id : kind;
    if (kind !== "inline" && name.includes(":")) {
      return [];
    }
    return [{ id: moduleId, namespace: moduleId.split(".").slice(0, -1).join("."), key, schema }];
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Pages of the configuration of the web server: the document, a list of all modules by namespace, and a page for each.
 * Descriptions, types and names come from the schemas that decode the config.
 * @param examples Markdown for the ends of pages, by the ids of modules
 */
export function modulePages(
  schema: z.infer<typeof configSchema>,
  examples: ReadonlyMap<string, string> = new Map(),
): SourcePage[] {
  const modules = moduleEntries(schema.$defs);
  const namespaces = [...new Set(modules.map(({ namespace }) => namespace))].sort();
  const known = new Set(namespaces);
  const list = namespaces.map((namespace) => {
    const items = modules
      .filter((module) => module.namespace === namespace)
      .map(({ id, schema }) => {
        const about = typeof schema.description === "string" ? `: ${cell(schema.description)}` : "";
        return `- [${id}](${id}.md)${about}`;
      });
    return `## ${namespace === "" ? "apps" : namespace}\n\n${items.join("\n")}`;
  });
  const pages = modules.map(({ id, namespace, key, schema }) => {
    const name = id.slice(namespace.length === 0 ? 0 : namespace.length + 1);
    const place = key === undefined ? `the key ${code(name)}` : code(`"${key}": "${name}"`);
    const of = namespace === "" ? "apps" : namespace;
    const about = typeof schema.description === "string" ? `\n${schema.description}\n` : "";
    const example = examples.get(id);
    const end = example === undefined ? "" : `\n## Example\n\n${example}\n`;
    return {
      path: `reference/modules/${id}.md`,
      markdown: `# ${id}\n${about}\nNamed by ${place}, one of [${of}](index.md#${new HeadingIds().next(of)}).\n\n${fieldTable(schema, { href: "index.md", namespaces: known })}\n${end}`,
    };
  });
  return [
    {
      path: "reference/configuration.md",
      markdown: `# The document of the web server\n\nWhat \`GET /config/schema\` of a running server says, your own modules included there. \`[]\` is an element of a list, \`*\` a name of yours; any object may have an \`@id\`. Modules: [all of them](modules/index.md).\n\n${fieldTable(schema, { href: "modules/index.md", namespaces: known })}\n`,
    },
    {
      path: "reference/modules/index.md",
      markdown: `# Modules of the web server\n\nEverything that a configuration can name; \`server list-modules\` prints it. One of a namespace is chosen by a member (\`"handler": "static_response"\`) or stands as a key, as its page says.\n\n${list.join("\n\n")}\n`,
    },
    ...pages,
  ];
}
