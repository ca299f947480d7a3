/// <reference path="./thriftrw-parser.d.ts" />
import parser, { type ConstNode, type EnumNode, type FieldNode, type TypeNode } from "thriftrw/thrift-idl.js";
import { type ThriftType, thriftTypes } from "../src/thrift/thrift-descriptors.ts";

/** The TypeScript type of an `i64`. */
export type Int64Type = "bigint" | "I64";

/** The IDL's simple types, each with its type in Thrift and its type in TypeScript. */
const scalars: Readonly<Record<string, readonly [ThriftType, string]>> = {
  bool: [thriftTypes.bool, "boolean"],
  byte: [thriftTypes.byte, "number"],
  i8: [thriftTypes.byte, "number"],
  i16: [thriftTypes.i16, "number"],
  i32: [thriftTypes.i32, "number"],
  double: [thriftTypes.double, "number"],
  string: [thriftTypes.string, "string"],
  binary: [thriftTypes.string, "Buffer"],
};

interface WireType {
  readonly type: ThriftType;
  readonly typeScript: string;
  readonly isBinary?: boolean;
  readonly elementType?: ThriftType;
  /** Name of the constant that describes the struct, which may be in another file. */
  readonly struct?: string;
}

/**
 * The TypeScript for one IDL file: interfaces and descriptors of structs, objects for enums, the constants, and the
 * methods of services with their arguments.
 * @param name of the file: `tracing.thrift`
 * @param text of the file
 * @throws Error with file and line for syntax that no IDL file of this project uses
 */
export function thriftSource(name: string, text: string, int64: Int64Type): string {
  return new ThriftSource(name, text, int64).write();
}

class ThriftSource {
  readonly #name: string;
  readonly #text: string;
  readonly #lines: readonly string[];
  readonly #int64: Int64Type;
  readonly #out: string[] = [];
  /** Structs and enums that are defined above the current line. */
  readonly #structs = new Set<string>();
  readonly #enums = new Set<string>();

  constructor(name: string, text: string, int64: Int64Type) {
    this.#name = name;
    this.#text = text;
    this.#lines = text.split("\n");
    this.#int64 = int64;
  }

  write(): string {
    const { headers, definitions } = parser.parse(this.#text);
    for (const definition of definitions) {
      switch (definition.type) {
        case "Enum":
          this.#enum(definition);
          break;
        case "Struct":
          this.#struct(
            definition.id.name,
            definition.fields,
            this.#commentAbove(definition.id.line),
            definition.id.line,
          );
          break;
        case "Const":
          this.#const(definition);
          break;
        case "Service":
          for (const { id, fields } of definition.functions) {
            this.#struct(
              argumentsName(id.name),
              fields,
              [`Arguments of \`${definition.id.name}.${id.name}\`.`],
              id.line,
              id.name,
            );
          }
          this.#push(
            "",
            ...docOf(this.#commentAbove(definition.id.line)),
            `export const ${definition.id.name} = {`,
            ...definition.functions.map(
              ({ id, oneway }) =>
                `  ${id.name}: { name: "${id.name}", isOneway: ${oneway}, arguments: ${argumentsName(id.name)} },`,
            ),
            "} as const;",
          );
          break;
        default:
          throw this.#error(definition.id.line, `${definition.type} is not generated yet`);
      }
    }
    const body = this.#out.join("\n");
    const imports = headers
      .filter(({ type }) => type === "Include")
      .map(({ id }) => String(id).replace(/\.thrift$/, ""))
      .map((file) => `import * as ${file} from "./${file}.ts";`);
    if (body.includes("satisfies ThriftStruct")) {
      imports.push('import type { ThriftStruct } from "../../thrift/thrift-descriptors.ts";');
    }
    if (/readonly \w+\??: I64\b/.test(body)) {
      imports.push('import type { I64 } from "../../thrift/i64.ts";');
    }
    return `${[`// Generated from idl/${this.#name}. Not edited by hand.`, ...imports, body].join("\n")}\n`;
  }

  #enum({ id, definitions }: EnumNode): void {
    this.#enums.add(id.name);
    let next = 0;
    const members = definitions.map((definition) => {
      const value = definition.value?.value ?? next;
      next = value + 1;
      return `  ${definition.id.name}: ${value},`;
    });
    this.#push(
      "",
      ...docOf(this.#commentAbove(id.line)),
      `export const ${id.name} = {`,
      ...members,
      "} as const;",
      `export type ${id.name} = (typeof ${id.name})[keyof typeof ${id.name}];`,
    );
  }

  #const({ id, value }: ConstNode): void {
    if (value.type !== "Literal") {
      throw this.#error(id.line, `a constant of type ${value.type} is not generated yet`);
    }
    this.#push(
      "",
      ...docOf(this.#commentAbove(id.line)),
      `export const ${id.name} = ${JSON.stringify(value.value)};`,
    );
  }

  #struct(
    name: string,
    fields: readonly FieldNode[],
    comment: readonly string[],
    line: number,
    label = name,
  ): void {
    const ids = new Set(fields.map(({ id }) => id.value));
    if (ids.size < fields.length) {
      throw this.#error(line, `two fields of ${name} have one id`);
    }
    const typed = fields.map((field) => ({ field, wire: this.#wireType(field.valueType, field.id.line) }));
    let requiredBits = 0;
    for (const { id, required } of fields) {
      // Readers store the fields that they have seen as bits of one number.
      if (id.value < 1 || id.value > 30) {
        throw this.#error(id.line, `field id ${id.value} is not within 1 to 30`);
      }
      if (required) {
        requiredBits |= 1 << id.value;
      }
    }
    this.#push("", ...docOf(comment), `export interface ${name} {`);
    for (const { field, wire } of typed) {
      const isOptional = field.optional;
      this.#push(
        ...docOf(this.#commentAbove(field.id.line)).map((text) => `  ${text}`),
        `  readonly ${memberOf(field.name)}${isOptional ? "?" : ""}: ${wire.typeScript}${isOptional ? " | undefined" : ""};`,
      );
    }
    this.#push(
      "}",
      `export const ${name} = {`,
      `  name: "${name}",`,
      `  requiredBits: ${requiredBits},`,
      "  fields: {",
      ...typed.map(({ field, wire }) => `    ${memberOf(field.name)}: ${descriptorOf(field, wire, label)},`),
      "  },",
      "} as const satisfies ThriftStruct;",
    );
    this.#structs.add(name);
  }

  #wireType(node: TypeNode, line: number): WireType {
    switch (node.type) {
      case "BaseType": {
        if (node.baseType === "i64") {
          return { type: thriftTypes.i64, typeScript: this.#int64 };
        }
        const scalar = scalars[node.baseType];
        if (scalar === undefined) {
          throw this.#error(line, `the type ${node.baseType} is not generated yet`);
        }
        const [type, typeScript] = scalar;
        return { type, typeScript, ...(node.baseType === "binary" ? { isBinary: true } : {}) };
      }
      case "Identifier": {
        if (this.#enums.has(node.name)) {
          return { type: thriftTypes.i32, typeScript: node.name };
        }
        // A type from an included file is written as "tracing.Batch", both in the IDL and in TypeScript.
        if (!this.#structs.has(node.name) && !node.name.includes(".")) {
          throw this.#error(line, `${node.name} is not declared above`);
        }
        return { type: thriftTypes.struct, typeScript: node.name, struct: node.name };
      }
      case "List": {
        const { type, typeScript, struct, elementType } = this.#wireType(node.valueType, line);
        if (elementType !== undefined) {
          throw this.#error(line, "a list of lists is not generated yet");
        }
        return {
          type: thriftTypes.list,
          typeScript: `readonly ${typeScript}[]`,
          elementType: type,
          ...(struct === undefined ? {} : { struct }),
        };
      }
      default:
        throw this.#error(line, `the type ${node.type} is not generated yet`);
    }
  }

  /** The comment lines directly above a line. */
  #commentAbove(line: number): readonly string[] {
    const found: string[] = [];
    for (let above = line - 2; above >= 0; above--) {
      const [, text] = /^\s*#\s?(.*)$/.exec(this.#lines[above] as string) ?? [];
      if (text === undefined) {
        break;
      }
      found.unshift(text);
    }
    return found;
  }

  #push(...lines: readonly string[]): void {
    this.#out.push(...lines);
  }

  #error(line: number, message: string): Error {
    return new Error(`idl/${this.#name}:${line}: ${message}`);
  }
}

function descriptorOf({ id, name, required }: FieldNode, wire: WireType, label: string): string {
  const members = [
    `id: ${id.value}`,
    `name: "${name}"`,
    `member: "${memberOf(name)}"`,
    `label: "${label}.${name}"`,
    `type: ${wire.type}`,
    `isRequired: ${required}`,
  ];
  if (wire.isBinary === true) {
    members.push("isBinary: true");
  }
  if (wire.elementType !== undefined) {
    members.push(`elementType: ${wire.elementType}`);
  }
  if (wire.struct !== undefined) {
    members.push(`struct: ${wire.struct}`);
  }
  return `{ ${members.join(", ")} }`;
}

/** `EmitBatchArguments` of `emitBatch`. */
function argumentsName(method: string): string {
  return `${method.charAt(0).toUpperCase()}${method.slice(1)}Arguments`;
}

/** `service_name` as a member of TypeScript: `serviceName`. */
function memberOf(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function docOf(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`/** ${lines.join(" ")} */`];
}
