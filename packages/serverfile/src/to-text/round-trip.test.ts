import { expect, test } from "vitest";
import { adaptServerfile, toServerfile } from "../../../admin-server/src/testing/serverfile.ts";

function adapted(text: string) {
  return adaptServerfile(Buffer.from(text), {}).result;
}

/** Texts that the JSON does not show completely; each is from a generated text that was refused. */
test.each([
  ["any host beside a path, known by its log", "https://b.example.com/p, :443 {\n\tlog named\n}\n"],
  ["any host beside a path, known by its policy", "b.example.com/p/*, https:// {\n}\n"],
  ["a site that no route shows, known by its log", "a.example.com {\n\tlog\n}\nlocalhost, :443 {\n}\n"],
  [
    "names of a site and of an option in one policy",
    "{\n\ttls_automate_names n2.example.com x.internal\n}\n::1, :443 {\n}\n",
  ],
  ["a usual port of 0", "{\n\thttps_port 0\n}\nlocalhost {\n\ttls me@example.com\n}\n"],
  [
    "the default name in a policy without settings",
    "{\n\tdefault_sni single\n}\nsingle/p {\n\ttls {\n\t\tcurves\n\t}\n}\n",
  ],
  [
    "challenges at an address that is not the first",
    "{\n\tcert_issuer acme\n}\na.example.com {\n\tbind udp/[::1] tcp4/127.0.0.1\n}\n",
  ],
  [
    "an issuer of any host beside a site without TLS",
    "https:// {\n\ttls {\n\t\tissuer acme {\n\t\t\tlifetime 1h\n\t\t}\n\t}\n}\nhttp://:7000 {\n}\n",
  ],
  [
    "options of the two default issuers beside a name of our own",
    "{\n\temail me@example.com\n\tcert_lifetime 2d\n}\nlocalhost {\n}\n",
  ],
  ["hosts without TLS that no route shows", "http://, http://a.example.com {\n\tbind 10.0.0.1 fd/3\n}\n"],
  ["the HTTP port on a socket too", "a.example.com:80 {\n\tbind unix//run/s.sock 10.0.0.1\n}\n"],
  [
    "a port that only logs tell of",
    "w.ts.net:8443 {\n\tbind unix//run/s.sock fd/3\n}\n192.168.0.3 {\n\tbind unix//run/s.sock\n\tlog\n}\n",
  ],
  [
    "groups that fill a gap to the last number",
    ":81 {\n\thandle_errors 5xx {\n\t\thandle {\n\t\t\trespond a\n\t\t}\n\t\thandle /b {\n\t\t\trespond b\n\t\t}\n\t}\n\ttry_files a?b=c {path}\n\thandle {\n\t}\n\ttry_files d?e=f {path}\n}\n",
  ],
  [
    "the one handle_path among routes",
    "single:80 {\n\thandle_errors 5xx {\n\t\thandle_path /zz* {\n\t\t\tcopy_response_headers {\n\t\t\t\texclude A\n\t\t\t}\n\t\t}\n\t\troute {\n\t\t}\n\t}\n}\n",
  ],
  [
    "a name of two sites, whose issuer one of them says",
    "c.example.com {\n\tbind [::1]\n\ttls {\n\t\tissuer acme {\n\t\t\tdisable_http_challenge\n\t\t}\n\t}\n}\nhttps://c.example.com/p {\n\trespond p\n}\n",
  ],
  ["the HTTP port on a socket only", "example.org:80, w.ts.net:8443, [2001:db8::1]:8443 {\n\tbind fd/3\n}\n"],
  [
    "a host without a policy beside one with it, on a socket",
    "a.example.com:80, a_b.example.com {\n\tbind unix//run/s.sock\n\ttls {\n\t\tissuer internal\n\t\tissuer acme\n\t}\n}\n",
  ],
  [
    "any host in the site that has no log",
    "http://, n4.example.com/p/* {\n\tlog\n}\nhttps://w.ts.net/p, :443, quoted.example.com {\n\ttls internal\n}\n",
  ],
  [
    "one address in two sites, beside another in the first",
    "b.example.com, [::1] {\n\trespond b\n}\n::1 {\n\ttls internal\n}\n",
  ],
  [
    "a site for any host that takes the policies of all names",
    "{\n\temail d@e.f\n}\nunix//run/x {\n}\n:8080, https://w.ts.net, https://example.org:9443 {\n}\n192.168.0.2, deep.a.example.com/p/* {\n}\n",
  ],
  [
    "any host without TLS on a socket where another site has it",
    "*.single {\n\tbind unix//run/s.sock\n\trespond s\n}\nhttp://:81, http://a.example.com {\n\tbind fd/3 unix//run/s.sock\n\trespond a\n}\n",
  ],
  ["two names of one directive that are sorted apart", ":8080 {\n\tlog_skip /health\n\tskip_log /old\n}\n"],
  [
    "assistants that may change the config",
    "{\n\tadmin localhost:2019 {\n\t\tmcp allow_changes\n\t}\n}\n:8080 {\n\trespond a\n}\n",
  ],
  [
    "a heredoc behind a word with #, which is not formatted",
    "a.example.com {\n\tvars x#y <<EOF\n  two\n    lines\n  EOF\n}\n",
  ],
  [
    "a pair of files that only a site loads that is served nowhere",
    "in.internal {\n\tbind {\n\t\tprotocols h2\n\t}\n\ttls a b\n}\nhttps:// {\n\tbind [::1]\n\ttls a b\n}\n",
  ],
  [
    "an email of all that is a placeholder, beside another authority",
    "{\n\temail {env.E}\n}\n[::1]:8443 {\n\ttls {\n\t\tca https://acme.example.com\n\t}\n}\nhttps://example.net {\n}\n",
  ],
  [
    "folders of a site that is on the HTTP port too",
    "w.ts.net:80, w.ts.net, ::1 {\n\tbind 127.0.0.1\n\ttls {\n\t\tload /c1 /c2\n\t}\n}\n",
  ],
  [
    "logs for hosts of no site, of two sites on one server",
    "::1, x.localhost:9443 {\n\tlog {\n\t\thostnames h1 h2\n\t}\n}\nc.example.com {\n\tlog {\n\t\thostnames a b\n\t}\n}\n",
  ],
  [
    "logs for hosts of no site, on two servers",
    "single:8443, localhost {\n\tlog named {\n\t\thostnames a b\n\t}\n}\n",
  ],
  [
    "names beside any host, while none is automated",
    "{\n\tauto_https disable_certs\n}\nexample.org {\n\tbind 10.0.0.1\n\ttls {\n\t\tkey_type p384\n\t}\n}\n192.168.0.3, :443, a.example.com {\n\trespond a\n}\n",
  ],
  [
    "what any host says, and not another site for any host",
    ":443, x.localhost:9443 {\n\tbind 1.2.3.4\n\ttls {\n\t\tkey_type p384\n\t}\n\tlog a\n\tlog b\n}\nhttps:// {\n\tlog\n}\nexample.org {\n\tbind fd/3 10.0.0.3\n}\n",
  ],
  [
    "hosts of a socket in an order that no port has",
    "c.example.com:8443, 192.168.0.1 {\n\tbind 127.0.0.1 unix//run/s.sock\n}\n",
  ],
  [
    "a host beside any host, known by its missing log",
    "a.example.com:80 {\n\tlog\n}\nhttp://example.org, http://, example.org/q {\n\trespond q\n}\n",
  ],
  [
    "one directive of which some take numbers",
    "a.example.com {\n\t@one protocol https\n\t@two header X-A one\n\tintercept @one {\n\t}\n\tintercept @two {\n\t\thandle_response {\n\t\t\tcopy_response 404\n\t\t}\n\t}\n\ttry_files {path} /i.php?x={query} /z\n}\n",
  ],
  [
    "two names of basic_auth",
    ":8080 {\n\tbasic_auth /a {\n\t\tbob aGFzaA==\n\t}\n\tmap {path} {a} {\n\t\tdefault x\n\t}\n\tbasicauth * {\n\t\tbob aGFzaA==\n\t}\n}\n",
  ],
])("%s", async (_name, text) => {
  const config = adapted(text);
  expect(adapted(await toServerfile(config))).toEqual(config);
});

/** Texts that the JSON shows even less: they could only be found by trying one change after another. */
test.each([
  [
    "a site that no route shows, known by a policy",
    "[::1], m2.example.org:8443 {\n}\n::1, :443 {\n}\n",
    "/config/apps/tls/automation",
  ],
  [
    "an issuer of names without TLS, on a socket too",
    "x.localhost:9443 {\n\ttls {\n\t\tkey_type p384\n\t}\n}\nn4.example.com:80 {\n\tbind 10.0.0.1 fd/3\n\ttls {\n\t\tissuer acme https://x {\n\t\t\tlifetime 3d\n\t\t}\n\t}\n}\n",
    "/config/apps/tls/automation/policies/1/issuers/0/challenges",
  ],
  [
    "any host beside a path, known by its pair of files",
    "https://example.org, deep.a.example.com/p/*, https:// {\n\ttls a b\n\tlog\n}\nw.ts.net {\n}\n",
    "/config/apps/http/servers/srv0/routes/0/match/0/host/0",
  ],
  [
    "certificates of any host that two sites speak for",
    "https:// {\n\ttls {\n\t\tissuer acme https://x\n\t}\n}\nin.internal, :8080 {\n\ttls {\n\t\tget_certificate http http://x\n\t}\n}\n",
    "/config/apps/http/servers/srv0/tls_connection_policies",
  ],
  [
    "pairs of files that are counted in another order than servers",
    "[::1:80] {\n\ttls a b\n}\nm3.example.org, ::1 {\n\ttls c d\n}\nhttps:// {\n\tbind 10.0.0.1\n\ttls a b\n}\n",
    "/config/apps/tls/certificates/load_files/0/certificate",
  ],
])("%s: is refused, with the place where the usual text differs", async (_name, text, path) => {
  await expect(toServerfile(adapted(text))).rejects.toThrow(`the nearest differs at ${path}`);
});
