import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpError } from "http-engine/http-error";
import { type MadeExchange, makeAnswering } from "http-engine/testing/make-exchange";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

let root = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "templates-"));
  mkdirSync(join(root, "pages"));
  const files = {
    "hello.html": "Hello {{index .Args 0}} from {{.Req.Method}}",
    "defs.html": '{{define "greet"}}<{{.}}>{{end}}',
    "bad.html": "\n{{nope}}",
    "loop.html": '{{include "loop.html"}}',
    "pages/a.md": "x",
    "post.md": "---\ntitle: T\ntags: [a, b]\n---\n# Head\n",
    "toml.md": "+++\nn = 5\n+++\nbody",
    "json.md": '{\n"j": true\n}\nbody',
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
  }
});

afterAll(() => rmSync(root, { recursive: true }));

async function render(
  source: string,
  config: object = {},
  type = "text/html; charset=utf-8",
): Promise<MadeExchange> {
  const handler = await provisionHandler("templates", { file_root: root, ...config });
  const made = makeAnswering({
    target: "/p?a=1",
    headers: ["Cookie", "c=crumb", "X-H", "<b>", "X-Name", "J\xc3\xbcrgen"],
    server: { clientAddress: () => "203.0.113.9" },
  });
  made.exchange.vars.set("v", "var");
  await handler.handle(made.exchange, (exchange) => {
    exchange.responseHeaders.push(
      "Content-Type",
      type,
      "Etag",
      '"a"',
      "Content-Length",
      "99",
      "Last-Modified",
      "x",
    );
    exchange.respond(200, source);
  });
  return made;
}

test.each([
  ["plain { } text", "plain { } text"],
  ['{{1}} {{1.5}} {{"a\\n\\u00e4"}} {{`r\\n`}} {{true}}', "1 1.5 a\nä r\\n true"],
  ["a {{- 1 -}} b {{/* no */}}c {{- /* no */ -}} d", "a1b cd"],
  ["{{if .Args}}yes{{else}}no{{end}}", "no"],
  ["{{if eq 1 2}}a{{else if eq 2 2}}b{{else}}c{{end}}", "b"],
  ["{{range $i, $e := list 1 2 3}}{{if eq $e 2}}{{continue}}{{end}}{{$i}}={{$e}};{{end}}", "0=1;2=3;"],
  ["{{range until 9}}{{if gt . 2}}{{break}}{{end}}{{.}}{{end}}", "012"],
  ["{{range list}}x{{else}}none{{end}}", "none"],
  ['{{range $k, $v := dict "b" 2 "a" 1}}{{$k}}{{$v}}{{end}}', "a1b2"],
  ['{{with "x"}}{{.}}{{$.Req.Method}}{{end}}{{with ""}}a{{else}}b{{end}}', "xGETb"],
  ["{{$x := 1}}{{if true}}{{$x = 2}}{{$y := 3}}{{end}}{{$x}}", "2"],
  ['{{define "t"}}[{{.}}]{{end}}{{template "t" 5}}{{block "u" "d"}}{{.}}!{{end}}', "[5]d!"],
  ['{{"a" | upper | printf "%s-%03d|%q" "x" 7}}', 'x-007|"A"'],
  ['{{and 1 0 (fail "no")}} {{or 0 "x" (fail "no")}} {{not 0}}', "0 x true"],
  [
    '{{len (list 1 2)}} {{len "ä"}} {{index (list 5 6) 1}} {{index (dict "k" "v") "k"}} {{slice "abcd" 1 3}}',
    "2 2 6 v bc",
  ],
  ['{{lt 2 10}} {{ge "b" "a"}} {{ne 1 1}} {{eq 1 5 1}}', "true true false true"],
  ['{{html "<a&b>"}} {{urlquery "a b&c"}} {{js "\'<\\""}}', "&lt;a&amp;b&gt; a+b%26c \\'\\u003C\\\""],
  [
    '{{.Req.Method}} {{.Req.URL.Path}} {{.Req.URL.Query.Get "a"}} {{.Req.Host}} {{.Req.Header.Get "X-H"}}',
    "GET /p 1 example.com <b>",
  ],
  [
    '{{.Cookie "c"}} {{.Host}} {{.RemoteIP}} {{.ClientIP}} {{.OriginalReq.RequestURI}}',
    "crumb example.com 192.0.2.1 203.0.113.9 /p?a=1",
  ],
  ['{{placeholder "http.vars.v"}} {{ph "http.request.method"}} {{env "NOTHING_OF_THAT_NAME"}}.', "var GET ."],
  ['{{include "hello.html" "you"}}', "Hello you from GET"],
  ['{{import "defs.html"}}{{template "greet" "x"}}', "<x>"],
  ['{{readFile "/../pages/a.md"}} {{fileExists "nope"}} {{listFiles "pages"}}', "x false [a.md]"],
  ['{{markdown "# T\\n\\n*x*"}}', '<h1 id="t">T</h1>\n<p><em>x</em></p>\n'],
  [
    '{{$p := splitFrontMatter (readFile "post.md")}}{{$p.Meta.title}} {{join "," $p.Meta.tags}} {{trim $p.Body}}',
    "T a,b # Head",
  ],
  [
    '{{(splitFrontMatter (readFile "toml.md")).Meta.n}} {{(splitFrontMatter (readFile "json.md")).Meta.j}}',
    "5 true",
  ],
  ['{{stripHTML "<p>a<br>b</p>"}} {{humanize "size" 2048}} {{maybe "whatever" 1}}.', "ab 2.0 kB ."],
  [
    '{{add 1 2 3}} {{sub 5 2}} {{div 7 2}} {{mod 7 2}} {{max 1 3}} {{default "d" ""}} {{ternary "y" "n" true}}',
    "6 3 3 1 3 d y",
  ],
  [
    '{{trimSuffix ".md" "a.md"}} {{splitList "," "a,b" | last}} {{replace "a" "b" "aa"}} {{title "hello world"}} {{trunc 2 "abc"}}',
    "a b bb Hello World ab",
  ],
  [
    '{{toJson (dict "a" (list 1 "x"))}} {{(fromJson "{\\"k\\":[1]}").k}} {{b64enc "x"}} {{regexReplaceAll "a(.)" "ab" "$1!"}}',
    '{"a":[1,"x"]} [1] eA== b!',
  ],
  ['{{date "2006-01-02" 0}}', "1970-01-01"],
  [
    '{{.Req.FormValue "a"}} {{index .Req.URL.Query "a"}} {{.Req.URL}} {{.Req.ProtoAtLeast 1 1}} {{.Req.UserAgent}}.',
    "1 [1] /p?a=1 true .",
  ],
  [
    '{{range $k, $v := .Req.Header}}{{$k}}={{$v}};{{end}} {{(index .Req.Cookies 0).Value}} {{index .Req.Header "X-H"}}',
    "Cookie=[c=crumb];X-H=[<b>];X-Name=[Jürgen]; crumb [<b>]",
  ],
  ['{{.Req.Header.Get "x-name"}} {{.RespHeader.Set "X-N" "ü"}}{{.RespHeader.Get "x-n"}}', "Jürgen ü"],
  [
    '{{$t := toDate "2006-01-02" "2021-03-04"}}{{$t.Year}} {{$t.Month}} {{$t.Weekday}} {{$t.YearDay}}',
    "2021 March Thursday 63",
  ],
  [
    '{{$t := toDate "2006-01-02 15:04" "2021-03-31 05:06"}}{{$t.Format "Jan 2, 3:04pm"}} {{($t.AddDate 0 0 1).Day}}',
    "Mar 31, 5:06am 1",
  ],
  [
    '{{$t := toDate "2006-01-02 -07" "2021-03-04 +00"}}{{$u := dateModify "36h" $t}}{{$u.Sub $t}} {{($u.Sub $t).Hours}} {{$t.Before $u}} {{$t.Unix}} {{$t.UTC}}',
    "36h0m0s 36 true 1614816000 2021-03-04 00:00:00 +0000 UTC",
  ],
  [
    '{{$t := toDate "2006-01-02" "2021-03-04"}}{{eq $t $t}} {{eq $t.Month 3}} {{printf "%02d %s" $t.Month $t.Month}}',
    "true true 03 March",
  ],
  ['{{toDate "2006" "x"}} {{(toDate "2006" "x").IsZero}}', "0001-01-01 00:00:00 +0000 UTC true"],
  [
    '{{dateInZone "15:04 -0700" 0 "America/New_York"}} {{htmlDateInZone 0 "Asia/Tokyo"}} {{durationRound "400h"}}',
    "19:00 -0500 1970-01-01 16d",
  ],
  [
    '{{$v := semver "1.2.3-b.1+x"}}{{$v.Major}} {{$v.Prerelease}} {{$v}} {{$v.Compare (semver "1.2.3")}} {{semver "v1"}}',
    "1 b.1 1.2.3-b.1+x -1 1.0.0",
  ],
  ['{{print 1 2 "a" "b" 3 4}} {{println nil 1}}', "1 2ab3 4 <nil> 1\n"],
  [
    "{{'a'}} {{'\\n'}} {{0x1f}} {{1_000}} {{017}} {{0b11}} {{.5}} {{1e3}} {{\"\\U0001F600\\101\"}}",
    "97 10 31 1000 15 3 0.5 1000 😀A",
  ],
  [
    '{{round -2.4 0}} {{round -2.5 0}} {{round 1.115 2}} {{round 123.555 2}} {{round "2.5" 0}} {{round 2.4 0 0.3}} {{round 1234 -2}}',
    "-3 -3 1.12 123.56 3 3 1200",
  ],
  ['{{printf "%.2f" 0.125}} {{indent 2 "a\\nb"}} {{nindent 2 ""}}|', "0.12   a\n  b \n  |"],
  [
    '{{$a := toDate "05" "00"}}{{$b := toDate "05" "05"}}{{($a.Sub $b).Round 10000000000}} {{($b.Sub $a).Round 10000000000}} {{($a.Sub $b).Truncate 3000000000}}',
    "-10s 10s -3s",
  ],
  ["{{toString 1}} {{toString (list 1 nil)}} {{list nil}}", "1 [1 <nil>] [<nil>]"],
  [
    '{{quote "é\\n" nil 1}} {{cat "a" nil "b"}} {{join "," (list "a" nil 1)}} {{b64dec "a"}}',
    '"é\\n" "1" a b a,1 illegal base64 data at input byte 0',
  ],
  [
    '{{addf 0.1 0.2}} {{add "x" 1}} {{seq 2 -2}} {{seq 6 -2 0}} {{max 1.9 1.2}}',
    "0.3 1 2 1 0 -1 -2 6 4 2 0 1",
  ],
  [
    '{{stripHTML "<<b>script>x<</b>/script>"}}{{stripHTML "<a title=\'a>b\'>y</a>"}}{{stripHTML " > <p"}}',
    "xy > ",
  ],
  [
    '{{$s := fileStat "hello.html"}}{{$s.Name}} {{$s.Size}} {{$s.IsDir}} {{(fileStat "pages").Mode.IsDir}}',
    "hello.html 44 false true",
  ],
  ["{{(dict).nope}} {{first list}} {{coalesce}} {{get (dict) `a`}}.", "<no value> <no value> <no value> ."],
  ["{{with (dict).nope}}a{{else}}b{{end}}{{$x := (dict).nope}}{{if $x}}c{{end}}", "b"],
  [
    '{{slice (list 1 2 3) 1}} {{mustSlice (list 1 2) 0 1}} {{slice (list)}} {{slice "äb" 2}}',
    "[2 3] [1] <no value> b",
  ],
  ["{{untilStep 0 4 0}} {{untilStep 4 0 1}} {{untilStep 4 0 -2}} {{seq 1 2 3 4}}.", "[] [] [4 2] ."],
  ["{{html (dict).nope}} {{.Req.Header.Nope}} {{.Req.URL.Query.nope}}", "&lt;no value&gt; [] []"],
  [`{{get (dict "a" nil) "a"}} {{expandenv "$PATH_NOPE\${NOPE}$ x"}}`, "<no value> $ x"],
  ['{{pick (dict "a" 1) "a" "b"}}', "map[a:1]"],
  ['{{toJson (dict "b" nil "a" (list 1))}} {{(dict "a" 1).nope}}.', '{"a":[1],"b":null} <no value>.'],
])("%s prints %j", async (source, expected) => {
  const made = await render(source);
  expect(made.body().toString()).toBe(expected);
  expect(made.header("content-length")).toBe(String(Buffer.byteLength(expected)));
  expect([made.header("etag"), made.header("last-modified")]).toEqual([undefined, undefined]);
});

test("bytes that are no UTF-8 stay what they are, in a page and in files that it takes in", async () => {
  const handler = await provisionHandler("templates", { file_root: root });
  writeFileSync(join(root, "latin.txt"), Buffer.from("\xe9", "latin1"));
  const made = makeAnswering();
  await handler.handle(made.exchange, (exchange) => {
    exchange.responseHeaders.push("Content-Type", "text/html");
    exchange.respond(200, Buffer.from('caf\xe9 {{"\xc3\xa9"}} {{readFile "latin.txt"}}', "latin1"));
  });
  expect(made.body().toString("latin1")).toBe("caf\xe9 \xc3\xa9 \xe9");
});

test("response fields can be changed, within what can stand in a head", async () => {
  const made = await render(
    '{{.RespHeader.Set "X-A" "a\\nb"}}{{.RespHeader.Add "X-B" 1}}{{.RespHeader.Del "Content-Type"}}',
  );
  expect([made.header("x-a"), made.header("x-b"), made.header("content-type")]).toEqual([
    "a b",
    "1",
    undefined,
  ]);
});

test("a request that no handler answers has an empty page with the fields of handlers before the templates", async () => {
  const handler = await provisionHandler("templates", {});
  const made = makeAnswering({});
  made.exchange.beforeHead((headers) => headers.push("X-Late", "1"));
  await handler.handle(made.exchange, (inner) => inner.beforeHead((headers) => headers.push("X-Below", "1")));
  expect([made.status(), made.header("X-Late"), made.header("X-Below"), made.body().length]).toEqual([
    200,
    "1",
    undefined,
    0,
  ]);
});

test("other delimiters, and responses that are no templates", async () => {
  expect((await render("[[1]]{{2}}", { delimiters: ["[[", "]]"] })).body().toString()).toBe("1{{2}}");
  for (const [config, type] of [
    [{}, "image/png"],
    [{ mime_types: ["text/plain"] }, "text/html"],
    [{ match: { status_code: [404] } }, "text/html"],
  ] as const) {
    const made = await render("{{1}}", config, type);
    expect([made.body().toString(), made.header("etag")]).toEqual(["{{1}}", '"a"']);
  }
});

test.each([
  ["{{", "line 1: unclosed action"],
  ["{{if}}", "unexpected"],
  ["a\n{{if true}}", "line 2: {{if}} without {{end}}"],
  ["{{end}}", "unexpected {{end}}"],
  ["{{nope 1}}", 'function "nope" not defined'],
  ["{{$x}}", "undefined variable $x"],
  ['{{template "t"}}', 'template "t" not defined'],
  ["{{1 2}}", "can't give argument"],
  ['{{include "loop.html"}}', "templates in one another"],
  ['{{define "r"}}{{template "r"}}{{end}}{{template "r"}}', "templates in one another"],
  ["{{range until 100000}}{{range until 100000}}{{end}}{{end}}", "steps"],
  ["{{until 100000000}}", "a list of more than"],
  ['{{repeat 1000000 (repeat 1000 "x")}}', "a text of more than"],
  ['{{indent 10000000 (repeat 10 "\\n")}}', "a text of more than"],
  ['{{replace "x" (repeat 100000 "y") (repeat 10000 "x")}}', "a text of more than"],
  ['{{join (repeat 100000 "y") (until 10000)}}', "a text of more than"],
  ['{{$t := "x"}}{{range until 40}}{{$t = cat $t $t}}{{end}}', "a text of more than"],
  ["{{$l := list 1}}{{range until 40}}{{$l = concat $l $l}}{{end}}", "a list of more than"],
  ['{{readFile "nope"}}', "reading"],
  ["{{index (list 1) 5}}", "out of range"],
  ["{{slice (list 1) 2}}", "slice from 2"],
  ["{{.Nothing.At.All}}", "can't evaluate field Nothing in type *templates.TemplateContext"],
  ["{{.Req.constructor}}", "can't evaluate field constructor in type *http.Request"],
  ["{{(dict).nope.at}}", "nil pointer evaluating interface {}.at"],
  ['{{index (dict) "a" "b"}}', "index of untyped nil"],
  ["{{nil}}", "nil is not a command"],
  ['{{.Req.Cookie "nope"}}', "http: named cookie not present"],
  ["{{now.Nope}}", "can't evaluate field Nope in type time.Time"],
  ["{{(duration 1).Nope}}", "can't evaluate field Nope in type string"],
  ["{{(list 1).Nope}}", "can't evaluate field Nope in type []interface {}"],
  ['{{fail "stop"}}', "stop"],
  ["{{constructor}}", 'function "constructor" not defined'],
  ["{{len .Req}}", "len of type *http.Request"],
  ["{{range .Req}}{{end}}", "range can't iterate"],
  ['{{include "bad.html"}}', 'bad.html: line 2: function "nope" not defined'],
  ["{{(((}}", "unexpected"],
])("%s fails: %s", async (source, message) => {
  await expect(render(source)).rejects.toThrow(message);
});

test("a template may ask for an error", async () => {
  await expect(render("{{httpError 404}}")).rejects.toMatchObject({ status: 404 });
});

test("a template that fails while its handler has more to do fails the request, and leaves no error to nobody", async () => {
  const handler = await provisionHandler("templates", {});
  const { exchange } = makeAnswering();
  const running = handler.handle(exchange, async (inner) => {
    inner.responseHeaders.push("Content-Type", "text/html");
    inner.respond(200, "{{");
    await new Promise((resolve) => setTimeout(resolve, 20)); // closes its file
  });
  await expect(running).rejects.toThrow("unclosed action");
});

test.each([
  ["breaks off", "no template", false, ["Content-Type", "text/html"]],
  ["is whole but fails as a template", "{{", true, ["X-Below", "1"]],
])("a page that %s leaves these fields to the page of the error: %s", async (_how, text, isWhole, left) => {
  const handler = await provisionHandler("templates", {});
  const { exchange } = makeAnswering();
  const running = async () =>
    handler.handle(exchange, async (inner) => {
      inner.responseHeaders = ["Content-Type", "text/html"];
      inner.beforeHead((headers) => headers.push("X-Below", "1"));
      inner.writeHead(200);
      inner.write(Buffer.from(text));
      if (!isWhole) {
        throw new HttpError(502, "cut");
      }
      inner.finish();
    });
  await expect(running()).rejects.toThrow(isWhole ? "unclosed action" : "cut");
  exchange.restartResponse();
  expect(exchange.responseHeaders).toEqual(left);
});

test.each([
  ["/", ""],
  ["/page.html", ""],
  ["/app.php", ""],
  ["/a.css", "bytes=0-3"],
  ["/film.mp4", "bytes=0-3"],
])("a request for a part of %s goes on with the range %j, and with its conditions", async (target, range) => {
  const handler = await provisionHandler("templates", {});
  const { exchange } = makeAnswering({ target, headers: ["Range", "bytes=0-3", "If-None-Match", '"a"'] });
  await handler.handle(exchange, () => {
    expect([exchange.header("range"), exchange.header("if-none-match")]).toEqual([range, '"a"']);
    exchange.respond(200);
  });
});

test("a part of a template is refused", async () => {
  const handler = await provisionHandler("templates", {});
  const { exchange } = makeAnswering({ target: "/a.css", headers: ["Range", "bytes=2-"] });
  const answer = async () =>
    handler.handle(exchange, () => {
      exchange.responseHeaders.push("Content-Type", "text/html");
      exchange.respond(206, 'env "SECRET"}}');
    });
  await expect(answer()).rejects.toThrow("a part of a template cannot be evaluated");
});
