/**
 * Writes `src/gen/thrift/*.ts` from `idl/*.thrift`: types, field numbers and descriptors of the structs. Run it with
 * `node build/generate-thrift.ts [IDL folder] [output folder]`, or with `pnpm generate`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Int64Type, thriftSource } from "./thrift-source.ts";

/** Ids and times in Zipkin's spans are bigints, for calculations; Jaeger's ids and times are only copied. */
const int64Types: Readonly<Record<string, Int64Type>> = { "zipkincore.thrift": "bigint" };

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const [idlFolder = pathOf("../../../idl"), outFolder = pathOf("../src/gen/thrift")] = process.argv.slice(2);

mkdirSync(outFolder, { recursive: true });
for (const name of readdirSync(idlFolder).filter((file) => file.endsWith(".thrift"))) {
  const source = thriftSource(name, readFileSync(join(idlFolder, name), "utf8"), int64Types[name] ?? "I64");
  writeFileSync(join(outFolder, name.replace(/\.thrift$/, ".ts")), source);
}
