import { mount } from "svelte";
import Team from "./Team.svelte";
import "../design/tokens.css";
import "../design/base.css";

const target = document.getElementById("team");
if (target) mount(Team, { target });
