// A store that lacks some of its spans, for tests.
import type { PartialReason, ReadOptions, TraceStore } from "storage/api";

/** Wraps a store so that every read with options reports these reasons. */
export function damagedStore<Store extends Pick<TraceStore, "reader">>(
  store: Store,
  reasons: readonly PartialReason[],
): Store {
  const wrapped = Object.entries(store).map(([name, part]) => [
    name,
    typeof part === "object" && part !== null ? damagedReader(part, reasons) : part,
  ]);
  return Object.fromEntries(wrapped) as Store;
}

function damagedReader<Reader extends object>(reader: Reader, reasons: readonly PartialReason[]): Reader {
  return new Proxy(reader, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method === "object" && method !== null) {
        return damagedReader(method, reasons);
      }
      if (typeof method !== "function") {
        return method;
      }
      return (...args: unknown[]) => {
        const options = args.findLast(
          (each): each is ReadOptions => typeof each === "object" && each !== null && "onPartial" in each,
        );
        for (const reason of reasons) {
          options?.onPartial?.(reason);
        }
        return Reflect.apply(method, target, args);
      };
    },
  });
}
