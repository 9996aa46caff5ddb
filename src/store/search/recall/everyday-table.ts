/**
 * Everyday expressions that people use when they do not remember the technical term: the expressions in the question
 * are right of the `<`, the terms in sessions left of it. One-way: a question with a technical term does not match
 * every text with an everyday expression.
 */
export const EVERYDAY = `
// going wrong
crash, panic, fatal, abort, exit < die, died, dies, dying, kill, killed, blow up, blew up, blows up, fall over, fell over, falls over, bomb, keel over, quit on, close by itself, shut itself down
fail, error, exception, broken < go wrong, went wrong, goes wrong, mess up, messed up, screw up, trip over, tripped over, choke, stumble, act up, misbehave, give out, gave out, fall apart, fell apart, blow out, unhappy
hang, stuck, timeout, deadlock, blocked < sit there, sat there, never come back, never came back, never finish, never finished, spin forever, get nowhere, got nowhere, wait forever, freeze up
timeout, disconnect, connection reset, closed < cut off, cuts off, break off, broke off, drop out, dropped out, hang up, hung up, gave up, lost contact
flaky, intermittent, race, random < now and again, once in a while, every so often, on and off, off and on, come and go, came and went, from time to time
slow, latency, performance, seconds < crawl, drag, dragging, take ages, takes ages, took ages, take forever, takes forever, took forever, laggy, snail
fast, speed up, optimise, quicker, milliseconds < snappy, zippy, quick, in no time, get quick, fly
memory, ram, oom < hog, hungry, gobble, eat up
memory leak, leak, grows < eat memory, pile up, piles up, piled up, creep up, crept up
size, shrink, strip, smaller, mb < slim, slimmer, slimming, trim, diet, lighter, squeeze, fat, bloated, bloat, weight
restart, reboot, crashloop, crashloopbackoff < come back up, came back up, bounce, bounced, power cycle, come round
wrong, bug, incorrect, unexpected < weird, strange, odd, funny, fishy, off by, crooked
duplicate, duplicated, twice < double, doubled, same thing twice, two copies, a second time
missing, lost, not found, absent < gone, vanish, vanished, disappear, disappeared, swallow, swallowed, nowhere to be, went missing, go missing
corrupt, mojibake, encoding, utf-8 < scrambled, gibberish, funny characters, strange characters, weird characters, question marks, garbage
lock, locked, blocked, conflict, held < in the way, hold up, holding up, held up, step on, stepped on, fight over, hog, block
unlock, release, force-unlock, lock < free, freed, let go of, let go, loosen
warning, diagnostic, error, lint < complain, complains, complained, complaint, nag, whine, grumble, moan, fuss
strict, strictness, strict mode, complete < picky, fussy, pedantic, stricter, tighter, tighten
leftover, unused, dead code, orphan, remaining < lying around, lying about, lie around, left behind, cruft, junk, clutter, floating around
disk, space, volume, full, storage < out of room, out of space, no room, run out of room
alert, pager, page, on-call, incident < wake up, woke me, woke up, wake me, woken, out of bed
outage, incident, down, unavailable < go dark, went dark, knock out, knocked out, take out, took out, bring down, brought down, take down, took down
immediately, launch, startup < straight away, right away, at once, on opening, the moment, instantly
// people and decisions
notify, tell, inform, announce, message, email < let know, hear from, get told, give notice, heads up, drop a line, reach out, write to, spread the word, break the news
approve, approved, accept, agree, yes, ok < go ahead, green light, sign off, signed off, give the nod, say yes, said yes, thumbs up, bless
reject, rejected, decline, refuse, no < turn down, turned down, say no, said no, rule out, ruled out, decide against, decided against, pass on, scrap, scrapped, dismiss, dismissed, want nothing
choose, decision, decided, option, chose < go with, went with, settle on, settled on, opt for, opted for, end up with, ended up with, land on, landed on, favour, favor, prefer
recommend, recommended, advise, suggest, proposal < advice, tip, urge, warn against, counsel
postpone, later, defer, deferred, backlog < put off, on hold, shelve, shelved, push back, park, parked, leave for later, another day, not now
plan, steps, tasks, tickets, breakdown, milestones < pieces of work, piece of work, chunks, work packages, roadmap, parts of
risk, risky, danger, dangerous < dicey, scary, tricky, hairy, worry, worried, worries, worrying, afraid, fear, nervous, uneasy
estimate, effort, days, weeks < how long would, how much work, size up
experiment, prototype, try, spike, trial, evaluate < play with, played with, give it a, toy with, try out, tried out, test drive, dabble
review, feedback, findings < look over, looked over, go over, went over, second opinion, pair of eyes, go through, went through
explain, explanation, how it works < walk me through, make sense of, talk me through
delegate, sub-agent, subagent < hand off, hand over, farm out, pass to, second assistant
document, documented, write-up, docs, adr, readme < write down, wrote down, jot down, put in writing, note down, record somewhere
customer, user, users < folks
unfinished, open, todo, remaining, interrupted < half done, half finished, in the middle, left hanging, never got to, loose ends, not done yet
interrupt, interrupted, stopped, aborted < step in, stepped in, cut short, pull the plug, call off, called off
cost, tokens, spend, price < burn, burned, burn through, expensive, pricey, dear, fortune
agent, assistant, model, sub-agent < robot, bot, helper, machine
cause, root cause, because, reason < culprit, to blame, blame, guilty, at fault, the matter, underlying
fix, fixed, solution, workaround < cure, remedy, trick, sort out, sorted out, get around, got around, patch up, put right
rule, policy, strategy, algorithm < criterion, criteria, which ones
// security and access
password reset, reset, reset link < forgot password, forgotten password, lost password
login, session, token, expiry, lifetime, ttl < stay signed in, stay logged in, logged out, kicked out, sign on, remember me, signed in
permission, access, denied, forbidden, role < locked out, get in, let in, keep out, kept out, not let
leak, leaked, secret, credential, exposed < turned up online, turn up online, in the open, made public, by accident, spilled, on the internet
revoke, rotate, rotated, new key < make useless, swap the key, cancel the key
secret, secrets, credential, key, token, api key < of that sort
prompt injection, injection, malicious, instructions < trick, tricked, fool, fooled, nasty, sneaky, manipulate, booby trap, hijack, lure
vulnerability, advisory, cve, security < hole, weak spot
certificate, expired, expiry, renewal < lapse, lapsed, run out, ran out
// machines and places
office, corporate, company, proxy, firewall < desk, at work, workplace, company network, from work, my job
home, at home < flat, apartment, my place, living room, couch, sofa
battery, power, laptop, shutdown < out of juice, went dead, shut off, flat battery
battery, drain, power, energy < juice, last longer, run down, empties
watch, watchos, apple watch, smartwatch < wrist, wrists
heart rate, heart-rate, heartrate, bpm < pulse, heartbeat
render, draw, drawing, display < paint, painting, painted, sketch
hike, trail, track, tracks, gpx, route < walk, walks, outing, path
offline, no network, airplane mode < no signal, without signal, no reception, no internet, in the mountains
cluster, pod, pods, kubernetes, node < servers, boxes
database, postgres, redis, sqlite, cache < data store, datastore
infrastructure, terraform, state lock < infrastructure tool
cli, command line, tool < our tool, command line tool
network, vpn, dns, connection < get online, connect from
// doing things
download, fetch, install, update < get hold of, pull down, grab, fetch
import, ingest, upload, load < bring in, feed in, take in, read in, send up
export, csv, excel < spreadsheet, hand out
email, mail, newsletter, template < letter, letters
logo, image, icon, picture < artwork
start, trigger, triggered, launch, schedule, run < kick off, kicked off, set off, sets off, go off, went off, fire, fired, get going
cron, nightly, scheduled, schedule, job < every night, every morning, clockwork, on a timer, by itself, automatic run, on its own
continue, resume, resumed, retry < pick up where, picked up, carry on, carried on, once more, second go, go again
finish, complete, completed, done < wrap up, wrapped up, get done, through with, tie up
release, released, publish, tag < out the door, put out, make available, get it out, go out, went out
deploy, deployed, rollout, production < go live, went live, push out, pushed out, put live, switch over, make the switch, in the wild
rollback, revert, reverted < go back, went back, back out, backed out, take it back, took it back, change my mind, changed my mind
upgrade, update, version, latest, release < newest, newer, catch up, move up, bring up to date
dependency, library, package, module < building block, third party, external code
delete, deleted, drop, dropped, remove, removed < wipe, wiped, nuke, nuked, clear out, cleared out, throw out, threw out, kick out, bin, chuck, get rid, got rid, did away with
retention, keep, delete, archive < hold on to, how long do, hang on to, for how long
evict, eviction, lru, oldest < too many of, make room
backup, restore, dump < spare copy, safety copy, get it back, bring back
rate limit, throttle, quota, limit < hold back, too eager, too many calls, at most, per minute
buffer, flush, buffered < hold back, holds back, comes late, all at once
queue, retry, dead letter, backlog < back up, line up, stack up
unreachable, down, not responding < does not answer, not answering, no reply, asleep, no answer
refund, refunds, refunded < give money back, pay back, return the money, money returned
charge, charged, payment, duplicate < took the money, money taken, billed, cash
rounding, cent, price, total < penny, pennies, sums, a cent, do the maths
order, orders, checkout, cart < purchase, purchases, buying, shopping, bought
merchant, seller, shop, tenant < big clients, sellers
regression test, test, covers < never happens again, come back, stays fixed
benchmark, measure, measured, profile, flamegraph < how much quicker, find out where, stopwatch
load test, k6, traffic, requests < paces, hammer, hammered, rush, stress, stampede, onslaught
bottleneck, limit, saturated < gave out first, weakest link, choke point, first to break
monitor, dashboard, metrics, alert, grafana < keep an eye, watch over, graphs
log, logs, loki < what it printed
config, setting, flag, option, env < knob, knobs, dial, tick box, checkbox
feature flag, flag, toggle < switch
completion, completions < tab key
binary, executable, release < program file
rename, renamed, naming, name < call it, what to call, other name
split, module, refactor, separate < break up, broke up, break apart, cut into, chop up, pull apart, took apart
merge, combine, rebase, unify < bring together, brought together, fold into, lump together
station, stations, sensor, site < measuring site, measuring post, gauge, instrument
reading, readings, raw, measurements < data points
gap, missing, backfill < hole, holes, blank stretch, fill in
average, mean, aggregate, hourly, daily < lump together, smooth out
timezone, dst, utc, time zone < clock change, summer time, winter time, daylight saving, an hour off
night, midnight, 02, 03 < small hours, middle of the
fresh, install, first launch, onboarding, new < brand new, first time, newcomers, just installed
pandas, polars, dataframe, library < data library, number crunching
concurrency, thread, threads, sendable, actor, swift 6 < about threads, thread rules
dark mode, dark, theme < night colours, black background
color, colour, no_color, ansi < coloured, tint, tinted
translation, translated, localisation, german < other languages, wording
list, listing, overview, index < overview page
memory, allocation, peak, rss < hardly any memory
idempotency, idempotent, idempotency key, duplicate < paying double, pay double, pay twice, paid twice, charged twice, paying twice, only once
password reset, reset link, reset < forgot my login, forgot my password, forgotten login, recover account, get back in
expiry, ttl, valid, lifetime, expire < how long can, shelf life, stays good, still works
old, legacy, previous, obsolete < ancient, dusty, antique, prehistoric, age old
interrupted, stopped, aborted, half < partway, half way, halfway, midway, part way
archive, cold storage, s3, parquet, object storage < cheap storage, cheap disk, deep storage, attic, cellar
type check, mypy, lint, tsc < static checks, static check, code checks
rename, renamed < another name, new name, different name, gave another name
production, prod, live < live system, the real thing, for real, real customers
backfill, recompute, recalculated < redo, redone, redid, calculate again, work out again
cron, scheduled, nightly, 07, automated < dawn, early bird, each day
forbidden, denied, 401, 403, unauthorized, auth < let into, wasn t let, not let in, no entry, turned away
registry, npm, package registry, crates.io < package store, package shop
readme, docs, homepage, landing page < front page, first page, title page
typo, spelling, misspelled < spelled wrong, spelt wrong, wrote wrong, wrong letter
daytime, business hours, peak < during the day, office hours, working hours
rewrite, rewritten, migration, polars < since the rewrite, written anew, from scratch
total, overall, wall time, minutes, seconds < from start to end, start to finish, end to end, all in all
encoding, utf-8, latin-1, umlaut < german letter, foreign letter, foreign letters
deadlock, waiting, lock < waiting for each other, each waiting
alert, notification, message < ping, pinged, shout
review, code review, pull request < look at my
cache, cached < remember, remembers, keep around
rate limit, limiter, 429 < knocking too often, too often, flood, flooded
verify, check, test < make sure, double check, prove
dry run, dry-run, plan < pretend, without doing
log, logs, retention < diary, journal
script, helper, tool < little program, small program, helper program
graph, chart, plot, dashboard < curve, curves, picture
permissions, chmod, access < who may, who can
version, tag, release < number
secret scan, gitleaks, scan, history < went through everything, comb, combed, sweep
estimate, effort, days < how big a, how much time
json, structured, machine readable < for programs, other programs
pipe, stdout, buffer < next program
compress, gzip, zip < squash, squashed, zipped
`;
