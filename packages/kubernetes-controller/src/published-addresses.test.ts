import { expect, test } from "vitest";
import { publishedAddresses } from "./published-addresses.ts";
import type { Snapshot } from "./translate/snapshot.ts";

/** Addresses when this Service is in front of the server, and one address was given. */
function addressesOf(service: object): string[] {
  const snapshot = { services: new Map([["ns/front", service]]) } as never as Snapshot;
  return publishedAddresses(snapshot, { publishAddresses: ["given.test"], publishService: "ns/front" });
}

test("the addresses of a Service are its load balancer's, else external ones, else the inner one", () => {
  const spec = { clusterIP: "10.96.0.9" };
  const ingress = [{ ip: "192.0.2.1" }, { hostname: "lb.test" }];
  expect(addressesOf({ spec, status: { loadBalancer: { ingress } } })).toEqual([
    "given.test",
    "192.0.2.1",
    "lb.test",
  ]);
  expect(addressesOf({ spec: { ...spec, externalIPs: ["192.0.2.2"] } })).toEqual(["given.test", "192.0.2.2"]);
  expect(addressesOf({ spec })).toEqual(["given.test", "10.96.0.9"]);
  expect(addressesOf({ spec: { ...spec, type: "LoadBalancer" } })).toEqual(["given.test"]);
  expect(addressesOf({ spec: { clusterIP: "None" } })).toEqual(["given.test"]);
});
