import { mount } from "svelte";
import App from "./App.svelte";
import { applySettings } from "./lib/settings.svelte.ts";
import "./design/tokens.css";
import "./design/settings.css";
import "./design/base.css";

applySettings();
const target = document.getElementById("app");
// Remove the frame that was rendered into the document at build time.
target?.replaceChildren();
if (target) mount(App, { target });
