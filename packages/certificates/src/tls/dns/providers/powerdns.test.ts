import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPowerdns, Powerdns } from "../../../testing/powerdns.ts";
import { zoneProvider } from "../api/zone-provider.ts";
import { powerdnsApi } from "./powerdns.ts";

describe.skipIf(!hasPowerdns)("powerdns (needs pdns_server and its sqlite3 backend)", () => {
  let server: Powerdns;
  beforeAll(async () => {
    server = await Powerdns.start();
  });
  afterAll(() => server?.close());

  const provider = (token = server.apiKey) =>
    zoneProvider(powerdnsApi({ server_url: `${server.url}/`, api_token: token }));

  test("texts of a name come and go one by one", async () => {
    const dns = provider();
    const name = "_acme-challenge.a.example.com";
    await Promise.all([dns.present(name, "one", 60), dns.present(name, 'two "quoted" \\', 60)]);
    expect(await server.values(name, "TXT")).toEqual(['"one"', '"two \\"quoted\\" \\\\"']);
    await dns.present(name, "one", 60);
    await dns.remove(name, "one");
    expect(await server.values(name, "TXT")).toEqual(['"two \\"quoted\\" \\\\"']);
    await dns.remove(name, 'two "quoted" \\');
    await dns.remove(name, 'two "quoted" \\');
    expect(await server.values(name, "TXT")).toEqual([]);
  });

  test("a name record", async () => {
    const dns = provider();
    await dns.present("_proof.example.com", "check.authority.test", 60, "CNAME");
    expect(await server.values("_proof.example.com", "CNAME")).toEqual(["check.authority.test."]);
    await dns.remove("_proof.example.com", "check.authority.test", "CNAME");
    expect(await server.values("_proof.example.com", "CNAME")).toEqual([]);
  });

  test("a name of no zone, and a wrong key", async () => {
    await expect(provider().present("_a.elsewhere.test", "x", 60)).rejects.toThrow("no zone of this account");
    await expect(provider("wrong").present("_a.example.com", "x", 60)).rejects.toThrow(/401: Unauthorized/);
  });
});
