import { Counter, type Registry } from "@prometheus-io/client";

/** @param files number of files that were repaired at the start */
export function countMended(registry: Registry, files: number): void {
  new Counter({
    name: "tracing_storage_mended_files_total",
    help: "Files by which the store knows its tables, and its own, that were damaged and were put right at the start.",
    registers: [registry],
  }).inc(files);
}
