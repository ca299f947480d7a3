import { ipSources } from "http-engine/ip-source";
import { expect, test } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { adaptServerfile, toServerfile } from "../../../admin-server/src/testing/serverfile.ts";

test("addresses of every part belong to it", async () => {
  const source = await provisionModule(ipSources, "combine", {
    parts: [
      { source: "static", ranges: ["192.0.2.0/24"] },
      { source: "combine", parts: [{ source: "static", ranges: ["2001:db8::/32", "198.51.100.7"] }] },
    ],
  });
  const addresses = ["192.0.2.9", "2001:db8::1", "198.51.100.7", "198.51.100.8", "203.0.113.1"];
  expect(addresses.map((address) => source.contains(address))).toEqual([true, true, true, false, false]);
});

test("without parts it has no address", async () => {
  const source = await provisionModule(ipSources, "combine", {});
  expect(source.contains("192.0.2.9")).toBe(false);
});

test("a part that cannot be loaded refuses the config", async () => {
  const parts = [{ source: "static", ranges: ["no range"] }];
  await expect(provisionModule(ipSources, "combine", { parts })).rejects.toThrow();
});

test.each([
  "cloudflare {\n\t\t\tinterval 12h\n\t\t\ttimeout 15s\n\t\t}",
  "list {\n\t\t\turl https://a.example/x\n\t\t\turl https://b.example/y\n\t\t\tretries 3\n\t\t}",
  "combine {\n\t\t\tstatic private_ranges\n\t\t\tfastly {\n\t\t\t\tinterval 1h\n\t\t\t}\n\t\t\tcloudfront\n\t\t}",
])("trusted_proxies %s there and back", async (source) => {
  const text = `{\n\tservers {\n\t\ttrusted_proxies ${source}\n\t}\n}\n\n:80 {\n\trespond in\n}\n`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(JSON.stringify(result)).toContain("trusted_proxies");
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});
