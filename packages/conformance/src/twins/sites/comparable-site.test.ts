import { expect, test } from "vitest";
import { comparableSite } from "./comparable-site.ts";
import { readStatements, writeStatements } from "./site-text.ts";

const made = (text: string) => writeStatements(comparableSite(readStatements(text)));

test("each site has addresses of its own", () => {
  expect(made("a.test, http://b.test {\n}\nhttps://a.test, http://b.test {\n}\n(s) {\n}\n")).toBe(
    "a.test, http://b.test {\n}\nhttps://d2.example.com, http://d3.example.com {\n}\n(s) {\n}\n",
  );
});

test("rules for handshakes stay where there are handshakes", () => {
  const tls = "\ttls {\n\t\tprotocols tls1.3\n\t}\n";
  expect(made(`http://a.test {\n${tls}\trespond x\n}\n`)).toBe("http://a.test {\n\trespond x\n}\n");
  expect(made(`http://a.test, b.test {\n${tls}}\n`)).toBe(`http://a.test, b.test {\n${tls}}\n`);
});

test("upstreams of several sorts are asked in their order", () => {
  const alike = "http://a.test {\n\treverse_proxy %UP_A% %UP_B% {\n\t\tlb_policy random\n\t}\n}\n";
  expect(made(alike)).toBe(alike);
  expect(made("http://a.test {\n\treverse_proxy /x %DOWN% %UP_B%\n}\n")).toBe(
    "http://a.test {\n\treverse_proxy /x %UP_B%\n}\n",
  );
  expect(
    made(
      "http://a.test {\n\thandle {\n\t\treverse_proxy %UP_A% h2c://%UP_2% {\n\t\t\tlb_policy cookie {\n\t\t\t\tfallback first\n\t\t\t}\n\t\t\tflush_interval -1\n\t\t}\n\t}\n}\n",
    ),
  ).toBe(
    "http://a.test {\n\thandle {\n\t\treverse_proxy %UP_A% h2c://%UP_2% {\n\t\t\tlb_policy first\n\t\t\tflush_interval -1\n\t\t}\n\t}\n}\n",
  );
});

test("transports in clear have no TLS", () => {
  const proxy = (mark: string, tls: string) =>
    `http://a.test {\n\treverse_proxy ${mark} {\n\t\ttransport http {\n${tls}\t\t\tread_timeout 1s\n\t\t}\n\t}\n}\n`;
  const tls = "\t\t\ttls_curves x25519\n";
  expect(made(proxy("%UP_A%", tls))).toBe(proxy("%UP_A%", ""));
  expect(made(proxy("https://%UP_S%", tls))).toBe(proxy("https://%UP_S%", tls));
});

test("an upstream that is down is one of several where both go on to the next", () => {
  const proxy = (lines: string) =>
    `http://a.test {\n\treverse_proxy %DOWN% %UP_A% {\n\t\tlb_policy first\n${lines}\t\tlb_retries 2\n\t}\n}\n`;
  expect(made(proxy(""))).toBe(proxy("\t\tfail_duration 10m\n"));
});

test("targets of rewrites begin with a slash", () => {
  const site = (...lines: string[]) => `http://a.test {\n${lines.map((line) => `\t${line}\n`).join("")}}\n`;
  expect(
    made(
      site(
        "rewrite * one",
        "rewrite @one",
        "rewrite @two x#y",
        "rewrite / {header.X-A}",
        'rewrite /* "a b"',
        "rewrite ?a=b",
        "rewrite /x{uri}",
        "try_files a?b=c {path} =404",
        "uri replace {header.X-A} y",
        "uri @one replace a b",
      ),
    ),
  ).toBe(
    site(
      "rewrite * /one",
      "rewrite /@one",
      "rewrite @two /x#y",
      "rewrite / /{header.X-A}",
      'rewrite /* "/a b"',
      "rewrite ?a=b",
      "rewrite /x{uri}",
      "try_files /a?b=c {path} =404",
      "uri replace q{header.X-A} y",
      "uri @one replace a b",
    ),
  );
});

test("responses are copied where there is one", () => {
  const copied = "\t\thandle_response {\n\t\t\tcopy_response\n\t\t}\n";
  const none = "\t\thandle_response {\n\t\t}\n";
  const site = (inner: string, intercepted: string) =>
    `http://a.test {\n\treverse_proxy %UP_A% {\n${inner}\t}\n\tintercept {\n${intercepted}\t}\n}\n`;
  expect(made(`http://a.test {\n\tcopy_response 404\n}\n`)).toBe("http://a.test {\n}\n");
  expect(made(site(copied, copied))).toBe(site(copied, none));
});
