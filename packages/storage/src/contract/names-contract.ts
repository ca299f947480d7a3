import { expect } from "vitest";
import { type ContractContext, newToken, write } from "./contract-context.ts";
import { newServiceName, sampleSpan } from "./sample-spans.ts";

/** Contract of the names of services and operations. */
export function namesContract({ store, test }: ContractContext): void {
  test("services: sorted, each once", async () => {
    const [first, second] = [newServiceName(), newServiceName()];
    await write(store(), [sampleSpan({ service: second }), sampleSpan({ service: first })]);
    await write(store(), [sampleSpan({ service: first })]);
    const services = await store().reader.getServices();
    expect(services.filter((name) => name === first || name === second)).toEqual([first, second]);
  });

  test("operations: sorted by name, then kind, each once", async () => {
    const service = newServiceName();
    const token = newToken();
    const spans = [
      sampleSpan({ service, name: "b", kind: "client" }),
      sampleSpan({ service, name: "b", kind: "server" }),
      sampleSpan({ service, name: "ä", kind: "unspecified" }),
      sampleSpan({ service, name: "a", kind: "internal" }),
      sampleSpan({ service, name: "a", kind: "internal" }),
    ];
    await write(store(), spans, token);
    await write(store(), spans, token);
    await write(store(), [sampleSpan({ service, name: "b", kind: "client" })]);
    const { reader } = store();
    expect(await reader.getOperations({ service })).toEqual([
      { name: "a", spanKind: "internal" },
      { name: "b", spanKind: "server" },
      { name: "b", spanKind: "client" },
      { name: "ä", spanKind: "unspecified" },
    ]);
    expect(await reader.getOperations({ service, spanKind: "client" })).toEqual([
      { name: "b", spanKind: "client" },
    ]);
    expect(await reader.getOperations({ service, spanKind: "producer" })).toEqual([]);
  });

  test("operations: none of a service that nobody knows", async () => {
    expect(await store().reader.getOperations({ service: newServiceName() })).toEqual([]);
  });
}
