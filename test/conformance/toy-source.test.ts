import { fileURLToPath } from "node:url";
import { describeSource } from "./describe-source.ts";
import { toy } from "./toy/toy-source.ts";

describeSource({
  source: toy,
  reasonPrefix: "toy",
  fixture: fileURLToPath(new URL("./toy/", import.meta.url)),
});
