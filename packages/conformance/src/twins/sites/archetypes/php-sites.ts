import { globalOptions } from "../global-options.ts";
import { type Archetype, maybe } from "./archetype.ts";

const scripts = [
  "ok",
  "status",
  "status-only",
  "redirect",
  "location",
  "newlines",
  "length",
  "pieces",
  "stderr",
  "large",
  "bare",
  "nothing",
].map((name) => `script=${name}`);

export const wordpress: Archetype = {
  name: "wordpress",
  text: (random) => `${globalOptions()}http://blog.example.com {
	log
	root %ROOT%
	${random.pick(["encode", "encode zstd gzip", "encode gzip"])}
	${maybe(random, "@blocked path /wp-content/uploads/*.php *.sql /.env\n\trespond @blocked 403")}
	${maybe(random, "@static path *.css *.js *.png\n\theader @static Cache-Control max-age=31536000")}
	${random.pick(["php_fastcgi %FCGI%", "php_fastcgi %FCGI% {\n\t\tindex index.php\n\t\tcapture_stderr\n\t}", "php_fastcgi %FCGI% {\n\t\tenv WP_ENV production\n\t\tdial_timeout 3s\n\t}"])}
	file_server
	${maybe(random, "request_body {\n\t\tmax_size 1KB\n\t}")}
}
`,
  hints: {
    targets: [
      "/",
      "/?p=12",
      "/hello-world/",
      "/wp-admin",
      "/wp-admin/",
      "/wp-admin/index.php?x=1",
      "/wp-login.php",
      "/wp-login.php?redirect_to=%2Fwp-admin%2F",
      "/index.php",
      "/index.php/2024/01/post",
      "/wp-content/uploads/a.txt",
      "/wp-content/themes/style.css",
      "/wp-content/uploads/x.php",
      "/wp-json/wp/v2/posts?per_page=5",
      "/xmlrpc.php",
      "/feed/",
      "/.env",
      "/blog",
      "/blog/",
      "/missing.css",
      "/caf%C3%A9/",
      "/wp-admin/missing.php",
      "/x.php/extra",
      "/INDEX.PHP",
    ],
    methods: ["GET", "GET", "GET", "POST", "HEAD", "PUT"],
    behaviours: scripts,
    fields: [[["Cookie", "wordpress_logged_in=1"]], [["Content-Type", "application/x-www-form-urlencoded"]]],
  },
};

export const nextcloud: Archetype = {
  name: "nextcloud",
  text: (random) => `${globalOptions()}cloud.example.com {
	log
	root %ROOT%
	redir /.well-known/carddav /remote.php/dav 301
	redir /.well-known/caldav /remote.php/dav/ 301
	@forbidden {
		path /.htaccess /data/* /config/* /db_structure /.xml /README /3rdparty/* /lib/* /templates/* /occ /console.php
	}
	${random.pick(["handle @forbidden {\n\t\trespond 404\n\t}", "error @forbidden 404", "respond @forbidden 404"])}
	header {
		Strict-Transport-Security max-age=15552000
		${maybe(random, "-X-Powered-By")}
	}
	${maybe(random, "encode gzip")}
	php_fastcgi %FCGI% {
		env front_controller_active true
		env modHeadersAvailable true
		${maybe(random, "root %ROOT%")}
	}
	file_server
	${maybe(random, 'handle_errors {\n\t\trespond "{err.status_code}"\n\t}')}
}
`,
  hints: {
    targets: [
      "/",
      "/index.php/login",
      "/remote.php/dav/files/ann/",
      "/remote.php/dav/files/ann/a%20b.txt",
      "/remote.php/webdav",
      "/.well-known/carddav",
      "/.well-known/caldav?x=1",
      "/data/secret",
      "/config/config.php",
      "/status.php",
      "/ocs/v2.php/cloud?format=json",
      "/apps/files/?dir=/",
      "/lib/x",
      "/3rdparty",
      "/occ",
      "/index.php",
      "/a.txt",
    ],
    methods: ["GET", "PROPFIND", "MKCOL", "MOVE", "PUT", "DELETE", "REPORT", "OPTIONS", "HEAD"],
    behaviours: scripts,
    fields: [
      [["Depth", "1"]],
      [["Destination", "https://cloud.example.com/remote.php/dav/b.txt"]],
      [["OCS-APIRequest", "true"]],
    ],
  },
};
