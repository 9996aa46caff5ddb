import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

const HIDDEN = "[redacted:secret]";

/** Expects that exactly the value at `@` is hidden. */
function hides(text: string, value: string): void {
  expect(redact(text.replace("@", () => value))).toBe(text.replace("@", () => HIDDEN));
}

function keeps(text: string): void {
  expect(redact(text)).toBe(text);
}

describe("names of secrets", () => {
  it.each([
    "SECRET TOKEN PASSWORD PASSWD PASSWORT PASSPHRASE PASSCODE PWD CREDENTIAL CREDENTIALS PSK AUTHKEY",
    "CONNECTION_STRING CONNECTIONSTRING WEBHOOK_URL WEBHOOKURL SECRET_KEY_BASE SECRETKEYBASE KEY_BASE64 KEYBASE64",
    "API_KEY ACCESS_KEY SECRET_KEY PRIVATE_KEY SIGNING_KEY SIGNATURE_KEY ENCRYPTION_KEY ACCOUNT_KEY AUTH_KEY MASTER_KEY",
    "SERVICE_KEY LICENSE_KEY DEPLOY_KEY SESSION_KEY STORAGE_KEY APP_KEY HMAC_KEY JWT_KEY SERVER_KEY SAS_KEY ADMIN_KEY",
    "ROOT_KEY SSH_KEY SUBSCRIPTION_KEY CONSUMER_KEY WEBHOOK_KEY INTEGRATION_KEY INGEST_KEY INGESTION_KEY WRITE_KEY APIKEY",
    "DB_PASS DB_PW NPM_AUTH PASS",
  ])("hide their values: %s", (names) => {
    for (const name of names.split(" ")) {
      hides(`${name}=@ npm start`, "swordfish");
      hides(`x-${name.toLowerCase().replaceAll("_", "-")}: '@'`, "hunter2");
    }
  });

  it.each([
    "TOKENS=4096x1 and MAX_TOKENS: 12345x!",
    "TOKEN_FILE=swordfish",
    "KEYBOARD=swordfish1",
    "BYPASS=swordfish1",
    "title: hunter22!",
    'nextToken: "abc123!x", prevToken: "abc123!x", previous_token: "abc123!x", page-token: "abc123!x"',
    'cancelToken: "abc123!x", cancellationToken: "abc123!x", lexToken: "abc123!x", lexer_token: "abc123!x"',
    'primary_key: "abc123!x", foreignKey: "abc123!x", sort-key: "abc123!x", cacheKey: "abc123!x"',
  ])("do not include similar names: %s", (text) => {
    keeps(text);
  });

  it("hide their values in assignments, options, JSON, XML and queries", () => {
    for (const text of [
      "DB_PASSWORD=@ x",
      "--DB_PASSWORD=@ x",
      "export DB_PASSWORD='@' x",
      'DB_PASSWORD="@" x',
      "<db><password>@</password></db>",
      "deploy --password @",
      "deploy --password '@' --now",
      'deploy --password "@" /srv',
      "deploy --password @ --now",
      "deploy --password @ | tee",
      "deploy --password @ && run",
      "deploy --password @; run",
      "deploy --password @  > log",
      "$(deploy --password @)",
      "deploy --password\t@\n",
      "deploy --password @ \\\n --now",
      "deploy --password @ # now",
      "deploy --password @    ./srv",
    ])
      hides(text, "swordfish");
    for (const text of [
      "password: @",
      "password:    @   ",
      "password\t:\t@\r\nport: 5",
      "token = @",
      "password := @",
      "password => @",
      "password    =>    @",
      String.raw`password: @\nport: 5`,
      String.raw`password: @\rport: 5`,
      '"password": "@"',
      "'password' : '@'",
      String.raw`{\"password\": \"@\"}`,
      String.raw`{\\\"password\\\":\\\"@\\\"}`,
      String.raw`{\'password\': \'@\'}`,
      '"password": "@',
      "'password': '@",
      '"password": "@\n',
      "'password': '@\n",
      "&password=@&x=1",
      "api key: @",
      "password=@,x",
      "password=@;x",
    ])
      hides(text, "hunter2");
    hides("run `x?token=@` now", "abcd1x");
  });

  it("do not hide code that computes the value, nor parts of other identifiers", () => {
    for (const text of [
      "token: load1x(key)",
      "token: load1x[0]",
      "token: load1x{x}",
      "token = load1x${x}",
      "token: Map1x<String>",
      "token: hunter22x(key)",
      "token: hunter22x[0]",
      "token: hunter22x{x}",
      "token: hunter22x<String>",
      "arn:aws:x:secret:abc123!x",
      "db.password>hunter2!</password>",
    ])
      keeps(text);
    keeps("<password>hunter2! and more");
    hides("token: @<1", "hunter2!x");
    hides("token: @ (x) y", "hunter22x");
    hides("a:TOKEN=@ x", "swordfish");
    hides("secret:@ x", "hunter2!x");
  });
});

describe("the value after the name of a secret", () => {
  it("is hidden in an environment variable if it is long enough and no placeholder", () => {
    hides("TOKEN=@ x", "abcd");
    keeps("TOKEN=abc x");
    keeps("TOKEN=changeme x");
    keeps("2TOKEN=swordfish x");
    keeps("token=swordfish x");
    keeps("TOKEN =swordfish x");
    keeps("TOKEN= swordfish x");
    hides("T2_TOKEN=@ x", "swordfish");
    hides("NEXT_TOKEN_SECRET=@ x", "swordfish");
    hides("TOKEN=@", "ABCD1");
    keeps("TOKEN=>swordfish x");
    keeps("TOKEN:swordfish x");
    keeps("Token=swordfish x");
    keeps("API KEY=swordfish x");
  });

  it("is hidden in a query if it has a digit or a symbol and is not code", () => {
    hides("?token=@&x", "abcd1");
    hides("?token=@&x", "sword+fish");
    keeps("?token=swordfish&x");
    keeps("?token=sword.fish&x");
    keeps("?token=sword.fish1&x");
    keeps("?token=sword-fish&x");
    keeps("?token=!swordfish&x");
    keeps("?token=sword?.fish&x");
    keeps("?token=node_modules/x&x");
    keeps("?token=Sword::fish&x");
    keeps("?token=sword$&x");
    keeps("?token=a-b-c2&x");
    hides("?token=@&x", "a-b-c22");
    hides("?token=@&x", "a.b/c");
    hides("?token=@&x", "aB3dE5fG7hJ9.kL1mN2pQ4rS6");
    hides("?token=@&x", "1a-b/c");
    hides("?token=@&x", "1sword.fish");
    keeps("?token=.swordfish&x");
    keeps("?token=sword.fish.sea1&x");
    keeps("?token=swordfish!&x");
    hides("?token=@&x", "sword-Fish");
  });

  it("is hidden in quotes unless it is a sentence, a label or a version", () => {
    hides('"token": "@"', "hunter2");
    hides('"token": "@"', "sword!fish");
    keeps('"token": "correct horse 2"');
    keeps('"token": "swordfish"');
    keeps('"token": "_sword"');
    keeps('"token": "$sword"');
    keeps('"token": "Sword_fish.of/the:sea"');
    keeps('"token": "Sword-fish."');
    keeps('"token": "sword::fish!"');
    keeps('"token": "swordfish?"');
    keeps('"token": "1.2.3"');
    keeps('"token": "^1.2"');
    keeps('"token": "10.20.30"');
    keeps('"token": ">=1.20.3-beta"');
    hides('"token": "@"', "1234");
    hides('"token": "@"', "x1.2.3");
    hides('"token": "@"', "__sword");
    hides('"token": "@"', "sword!!");
    hides('"token": "@"', "1sword");
  });

  it("is hidden alone on a line if it is a password or random, and not code", () => {
    hides("token: @\nx", "hunt3r");
    hides("token: @\nx", "aB3dE5fG7hJ9kL1mN2pQ4rS6");
    keeps("token: swordfish\nx");
    keeps("token: hunt3\nx");
    keeps("token: a-b-see2\nx");
    keeps("token: sword.fish2\nx");
  });

  it("is hidden among other words if it is long and not an identifier", () => {
    hides("password: @ or so", "hunter22");
    hides("password: @ or so", "hu!nter2");
    for (const value of ["hunter2", "hunters2", "hunt22x", "a-b-seee2"])
      expect(redact(`password: ${value} or so`)).toBe("password: [redacted:password] or so");
    keeps("password: swordfish or so");
    keeps("password: sword:fish-x or so");
    keeps("token:sword-Fish x");
    keeps("token = sword-Fish x");
    hides("use the --password @ to set it", "hunter22");
    hides("use the --password @ to set it", "hunters2");
    keeps("use the --password swordfish to set it");
    hides("use the -password @", "swordfish");
    keeps("use --password swordfish, -x");
    keeps("run a--password swordfish --now");
    keeps("use a password swordfish");
  });
});
