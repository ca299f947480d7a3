/// <reference path="./thriftrw.d.ts" />
import { readFileSync } from "node:fs";
import { Thrift, type ThriftStruct } from "thriftrw";

/** Copied from the repository's `idl/` by `pnpm generate`, so that the package needs nothing outside itself. */
const idlFolder = new URL("../gen/idl/", import.meta.url);

function loadIdl(name: string): string {
  const text = readFileSync(new URL(name, idlFolder), "utf8");
  // Without this thriftrw gives each i64 as a Buffer of its own; with it, as `I64`.
  return text.replace(/\bi64\b/g, 'i64 (js.type = "Long")');
}

const agent = new Thrift({
  entryPoint: "agent.thrift",
  idls: Object.fromEntries(
    ["agent.thrift", "tracing.thrift", "zipkincore.thrift"].map((name) => [name, loadIdl(name)]),
  ),
  // Zipkin's IDL says neither "required" nor "optional" of most fields, which strict thriftrw refuses.
  strict: false,
  defaultAsUndefined: true,
});

function argumentsOf(method: string): ThriftStruct {
  const found = agent.services.Agent?.[method];
  if (found === undefined) {
    throw new Error(`idl/agent.thrift has no method ${method}`);
  }
  return found.args;
}

/** The arguments of `Agent.emitBatch`: field 1 is the batch. */
export const emitBatchArguments = argumentsOf("emitBatch");

/** The struct `Batch`. */
export const batchStruct = batchOf(emitBatchArguments);

function batchOf({ fields }: ThriftStruct): ThriftStruct {
  const type = fields[0]?.valueType;
  if (type?.fields === undefined) throw new Error("idl/agent.thrift: emitBatch takes no struct");
  return type as ThriftStruct;
}
