import { readFileSync } from "node:fs";
import { clone, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { publicFileNameOf, publicNameOf } from "./aliases.ts";

/** A .proto file in the form that reflection returns. */
interface DescribedFile {
  /** An encoded `FileDescriptorProto`. */
  readonly bytes: Uint8Array;
  /** Names of the imported files. */
  readonly dependencies: readonly string[];
}

/** All known .proto files, for reflection, with the symbols that they define. */
export class Descriptors {
  readonly #files = new Map<string, DescribedFile>();
  readonly #fileOfSymbol = new Map<string, string>();

  constructor(files: Iterable<FileDescriptorProto>) {
    for (const file of files) {
      this.#files.set(file.name, {
        bytes: toBinary(FileDescriptorProtoSchema, file),
        dependencies: file.dependency,
      });
      for (const symbol of symbolsOf(file)) {
        this.#fileOfSymbol.set(symbol, file.name);
      }
    }
  }

  /**
   * @param symbol full name of a service, method, message, field, enum or enum value
   * @returns the file's name, or undefined
   */
  fileOf(symbol: string): string | undefined {
    return this.#fileOfSymbol.get(symbol);
  }

  /** A file with all its imports, each as an encoded `FileDescriptorProto`. Undefined for an unknown file. */
  withImports(fileName: string): Uint8Array[] | undefined {
    if (!this.#files.has(fileName)) {
      return undefined;
    }
    const names = new Set([fileName]);
    // The loop adds names to the set while it runs, and visits each name once.
    for (const name of names) {
      for (const dependency of this.#files.get(name)?.dependencies ?? []) {
        names.add(dependency);
      }
    }
    return [...names].flatMap((name) => this.#files.get(name)?.bytes ?? []);
  }
}

/**
 * Reads `src/gen/descriptors.binpb`, which `pnpm generate` writes; files of this product are also added under their
 * public names.
 */
export function loadDescriptors(): Descriptors {
  const bytes = readFileSync(new URL("../gen/descriptors.binpb", import.meta.url));
  const { file: files } = fromBinary(FileDescriptorSetSchema, bytes);
  return new Descriptors(files.flatMap((file) => [file, ...publicTwin(file)]));
}

/**
 * A copy of the file under Jaeger's names. `tracing/api_v2/query.proto` with the package `tracing.api_v2`
 * becomes the file and package that clients of Jaeger request. Files of other projects are not copied.
 */
function publicTwin(file: FileDescriptorProto): FileDescriptorProto[] {
  const twinName = publicFileNameOf(file.name);
  if (twinName === undefined) {
    return [];
  }
  const twin = clone(FileDescriptorProtoSchema, file);
  twin.name = twinName;
  twin.package = publicNameOf(file.package) ?? file.package;
  twin.dependency = file.dependency.map((name) => publicFileNameOf(name) ?? name);
  for (const message of twin.messageType) {
    renameFieldTypes(message);
  }
  for (const method of twin.service.flatMap((service) => service.method)) {
    method.inputType = publicTypeName(method.inputType);
    method.outputType = publicTypeName(method.outputType);
  }
  return [twin];
}

/** Replaces the types of a message's fields, and of its nested messages, by their public names. */
function renameFieldTypes(message: DescriptorProto): void {
  for (const field of message.field) {
    field.typeName = publicTypeName(field.typeName);
  }
  message.nestedType.forEach(renameFieldTypes);
}

/** Type names in descriptors begin with a dot: ".tracing.api_v2.Span". */
function publicTypeName(typeName: string): string {
  const publicName = publicNameOf(typeName.slice(1));
  return publicName === undefined ? typeName : `.${publicName}`;
}

/** Full names of everything that a file defines: `grpc.health.v1.Health.Check` is a method. */
function* symbolsOf(file: FileDescriptorProto): Generator<string> {
  const prefix = file.package === "" ? "" : `${file.package}.`;
  for (const message of file.messageType) {
    yield* symbolsOfMessage(message, prefix);
  }
  for (const { name, value } of file.enumType) {
    yield prefix + name;
    yield* value.map((one) => prefix + one.name);
  }
  for (const { name, method } of file.service) {
    yield prefix + name;
    yield* method.map((one) => `${prefix}${name}.${one.name}`);
  }
}

/** @param prefix package, or outer message, with a dot at the end; "" without a package */
function* symbolsOfMessage(message: DescriptorProto, prefix: string): Generator<string> {
  const name = prefix + message.name;
  yield name;
  yield* message.field.map((field) => `${name}.${field.name}`);
  for (const { name: enumName, value } of message.enumType) {
    yield `${name}.${enumName}`;
    yield* value.map((one) => `${name}.${one.name}`);
  }
  for (const nested of message.nestedType) {
    yield* symbolsOfMessage(nested, `${name}.`);
  }
}
