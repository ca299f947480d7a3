// All HTTP receivers use this code to find the tenant; the gRPC receivers have separate tests.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { TenantCheck } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import { twoTenants } from "../../test/receiver-fixture.ts";
import { httpTenant } from "./tenant.ts";

const tenants = new TenantCheck(twoTenants);

/** The tenant of a request with these header lines, or the reason for the error. */
async function tenantOfLines(lines: readonly string[]): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    try {
      response.end(httpTenant(tenants, request));
    } catch (error) {
      response.end(String(error));
    }
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(["GET / HTTP/1.1", "Host: x", "Connection: close", ...lines, "", ""].join("\r\n"));
  let text = "";
  for await (const piece of socket.setEncoding("utf8")) {
    text += piece;
  }
  return text.slice(text.indexOf("\r\n\r\n") + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, "");
}

test.each([
  [["X-Tenant: acme"], "acme"],
  [["x-tenant:  beta "], "beta"],
  [[], "TenantError: missing tenant header"],
  [["X-Tenant: acme", "X-Tenant: acme"], "TenantError: extra tenant header"],
  [["X-Tenant: beta", "x-tenant: acme"], "TenantError: extra tenant header"],
  [["X-Tenant:", "X-Tenant: acme"], "TenantError: extra tenant header"],
  [["X-Tenant: acme, beta"], "TenantError: extra tenant header"],
  [["X-Tenant: ACME"], "TenantError: unknown tenant"],
])("%j: %s", async (lines, tenant) => {
  expect(await tenantOfLines(lines)).toBe(tenant);
});
