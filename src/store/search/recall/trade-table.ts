/**
 * Technical synonyms, one group per line: English first, then after the bar the same in other languages that people ask
 * in. A question with one of these words finds texts with another, so words with only a similar meaning are left out.
 */
export const TABLE = `
// storing
database, db, postgres, postgresql, pg, mysql, sqlite | datenbank, base de donnees, base de datos, 数据库, データベース, база данных, banco de dados
table, relation | tabelle, tabla, 表, テーブル, таблица
column, field | spalte, colonne, columna, 列, 字段, カラム, столбец
row, record, tuple | zeile, ligne, fila, 行, 记录, レコード, строка
query, sql, select | abfrage, requete, consulta, 查询, クエリ, запрос
index, indices | indizes, 索引, インデックス, индекс
migration, migrate, schema change, backfill, backfilled, recompute, recalculated | migrieren, umzug, 迁移, マイグレーション, миграция
transaction, commit | transaktion, transaccion, 事务, トランザクション, транзакция
deadlock, blocked by | verklemmung, interblocage, bloqueo mutuo, 死锁, デッドロック, взаимная блокировка
lock, locked, mutex, held | sperre, gesperrt, verrou, bloqueo, 锁, ロック, блокировка
backup, dump, snapshot | sicherung, sauvegarde, copia de seguridad, 备份, バックアップ, резервная копия
restore, recover, recovery | wiederherstellen, wiederherstellung, restaurer, restaurar, 恢复, 復元, восстановить
replication, replica, replication slot, standby | replikation, 复制, レプリケーション, репликация
storage, disk, volume, space | speicherplatz, festplatte, platte, disque, disco, 磁盘, ディスク, диск
retention, keep, kept, expire | aufbewahrung, behalten, conserver, conservar, 保留, 保持, хранить, aufbewahren, aufgehoben, garder, guardar, 留多久, 残す
archive, archived, cold storage, glacier, s3, object storage, parquet | archivieren, archiver, archivar, 归档, アーカイブ, архив
partition, shard | partitionieren, 分区, パーティション
cache, cached, caching | zwischenspeicher, 缓存, キャッシュ, кэш
reset, reset link, reinitialise | zurucksetzen, zuruckgesetzt, reinitialiser, reinitialisation, restablecer, 重置, リセット, сброс
evict, eviction, lru, throw away, thrown away, discard, purge | verdrangen, wegwerfen, verwerfen, 淘汰, 丢弃, 破棄
delete, remove, drop, erase, get rid of, prune, clean up, cleanup, throw away | loschen, entfernen, loswerden, aufraumen, supprimer, enlever, borrar, eliminar, quitar, 删除, 移除, 削除, удалить, weggeworfen, weggeschmissen, geloscht, jeter, jete, tirar, tirado, 丢掉, 扔掉, 捨てる, 捨てた
duplicate, twice, two times, second time, double, doubled, again, duplicated | doppelt, zweimal, en double, deux fois, duplicado, dos veces, 重复, 两次, 二重, 重複, 二回, дважды, дубликат
raw, original, unprocessed | roh, rohdaten, brut, crudo, 原始, 生データ, сырой
// web services
api, interface, endpoint, route | schnittstelle, endpunkt, interfaz, 接口, インターフェース, интерфейс
request, call | anfrage, requete, peticion, solicitud, 请求, リクエスト, запрос
response, answer, reply | antwort, reponse, respuesta, 响应, レスポンス, ответ
server, backend, host, service | dienst, serveur, servidor, 服务器, 服务, サーバー, сервер, сервис
client, consumer, caller | kunde, cliente, 客户端, クライアント, клиент, abnehmer, consommateur, consumidor
rate limit, rate limiting, rate limiter, limiter, throttle, throttling, quota, too many requests, token bucket | drosselung, drosseln, begrenzung, limitation de debit, limite de peticiones, 限流, レート制限, ограничение скорости
webhook, callback, notification, event hook | benachrichtigung, notificacion, 通知, 回调, уведомление
event, message, notification | ereignis, nachricht, evenement, evento, mensaje, 事件, 消息, イベント, メッセージ, событие, сообщение
dead letter, undeliverable, undelivered | unzustellbar, 死信
retry, retries, retried, try again, tried again, reattempt, backoff, attempts | wiederholen, erneut versuchen, nochmal versuchen, reessayer, reintentar, reintento, 重试, リトライ, 再試行, повтор
idempotent, idempotency, idempotency key, idempotency-key | idempotenz, 幂等, 冪等
unreachable, down, offline, unavailable, outage, not responding, not reachable | nicht erreichbar, ausfall, injoignable, inaccesible, caido, 宕机, 不可用, 停止, 障害, недоступен
timeout, timed out, time out, 504, gateway timeout, deadline, took too long | zeituberschreitung, delai depasse, tiempo de espera, 超时, タイムアウト, таймаут, cortaba, se cortaba, coupait, coupe, abgeschnitten, 断开, 切れる, 切れた
connection reset, econnreset, reset by peer, connection dropped, connection lost | verbindung abgebrochen, verbindungsabbruch, connexion reinitialisee, conexion perdida, 连接断开, 接続切断
connection, socket, link | verbindung, connexion, conexion, 连接, 接続, соединение
connection pool, pool, slots | verbindungspool, 连接池, コネクションプール
keep-alive, keepalive, idle
proxy, reverse proxy, nginx, ingress, gateway, load balancer | 代理, プロキシ, прокси
upload, uploaded | hochladen, televerser, subir, 上传, アップロード, загрузка
download, downloaded, export | herunterladen, telecharger, descargar, descarga, 下载, ダウンロード, скачать
export, exported, dump, download | exportieren, ausfuhr, exporter, exportar, 导出, エクスポート, экспорт
import, imported, ingest, load | importieren, einlesen, importer, importar, 导入, インポート, импорт
queue, backlog, jobs | warteschlange, file d attente, cola, 队列, キュー, очередь
job, task, worker, background | aufgabe, tache, tarea, 任务, タスク, ジョブ, задача
schedule, scheduled, scheduler, cron, crontab, cronjob, timer, nightly, hourly, daily, automated | zeitplan, geplant, planifie, programado, 定时, 计划任务, スケジュール, 定期, расписание
session, cookie | sitzung, sesion, 会话, セッション, сессия
header, headers | kopfzeile, 请求头, ヘッダー
url, link, address | adresse, enlace, direccion, 链接, リンク, ссылка, lien, liens
redirect, forward | weiterleitung, redirection, redireccion, 重定向, リダイレクト
pagination, paging, page size, cursor | seitenweise, 分页, ページネーション
websocket, stream, streaming, live
flush, buffer, buffered, buffering, late, delayed | puffer, verzogert, tampon, 缓冲, バッファ
pipe, piped, pipeline, stdin, stdout
cors, cross origin, origin
rest, http, https
// security
auth, authentication, authenticate, login, log in, logged in, log on, sign in, signin, credentials | anmeldung, anmelden, einloggen, connexion, se connecter, iniciar sesion, inicio de sesion, 登录, 认证, 身份验证, ログイン, 認証, авторизация, вход
permission, permissions, access, role, authorization, allowed, forbidden, 403, rbac | berechtigung, zugriff, recht, droits, permiso, acceso, 权限, 访问, 権限, アクセス, доступ, права
denied, refused, rejected, not allowed, blocked, forbidden | verweigert, abgelehnt, refuse, denegado, rechazado, 拒绝, 拒否, отказано
secret, credential, password, api key, token, key, passphrase | geheimnis, passwort, kennwort, zugangsdaten, mot de passe, contrasena, clave, 密码, 密钥, 凭证, 令牌, パスワード, 秘密, トークン, пароль, ключ
leak, leaked, exposed, disclosed, gitleaks | durchgesickert, geleakt, fuite, filtracion, 泄露, 漏洩, утечка
rotate, rotated, rotation, revoke, deactivate, renew, replace | rotieren, erneuern, austauschen, renouveler, renovar, 轮换, 更新, ローテーション
certificate, cert, tls, ssl, https, x509, acme, letsencrypt | zertifikat, certificat, certificado, 证书, 証明書, сертификат
expire, expired, expires, expiry, valid, validity, outdated, run out | ablaufen, abgelaufen, gultig, expirer, caducar, vencer, 过期, 有效期, 期限切れ, 有効期限, истек
encrypt, encryption, cipher | verschlusseln, verschlusselung, chiffrer, cifrar, 加密, 暗号化, шифрование
vulnerability, security hole, advisory, cve, exploit | schwachstelle, sicherheitslucke, vulnerabilite, vulnerabilidad, 漏洞, 脆弱性, уязвимость
injection, prompt injection, malicious, attack, hijack | einschleusung, angriff, attaque, ataque, 注入, 攻击, インジェクション, 攻撃, атака
vpn, wireguard, tunnel, peer | 隧道, トンネル
firewall, allow-list, allowlist, whitelist, blocklist | brandmauer, pare-feu, cortafuegos, 防火墙, ファイアウォール
dns, name resolution, resolver, nameserver | namensauflosung, 域名解析, 名前解決, noms de domaine, resolucion de nombres, resolver nombres
// going wrong
error, failure, fault, exception | fehler, erreur, error, fallo, 错误, 异常, エラー, 例外, ошибка
fail, failed, fails, failing, broke, broken, red, does not work, not working | fehlgeschlagen, scheitern, gescheitert, kaputt, echouer, fallar, falla, 失败, 失敗, сбой, не работает
crash, crashed, panic, panicked, segfault, abort, aborted, died, fatal, killed, went down | absturz, absturzen, abgesturzt, abgebrochen, plantage, planter, caida, cuelgue, 崩溃, 闪退, クラッシュ, 落ちる, падение, упал, caer, caian, se caia, abgestuerzt, 挂了, 落ちた
bug, defect, issue, problem, wrong, regression | fehler, bogue, probleme, problema, 缺陷, 问题, バグ, 不具合, 問題, баг, проблема
fix, fixed, repair, solve, solved, resolve, resolved, mend, cure, correct | beheben, behoben, reparieren, losen, gelost, korrigieren, corriger, resoudre, reparer, arreglar, corregir, resolver, 修复, 解决, 修正, 直す, 解決, исправить, починить
cause, reason, root cause, because, due to, behind, why | grund, ursache, cause, raison, motivo, causa, razon, 原因, 理由, причина
restart, restarted, restarting, restarts, reboot, respawn | neustart, neu starten, redemarrer, redemarrage, reiniciar, reinicio, 重启, 再起動, перезапуск, startet neu, redemarrait, se reiniciaba, reiniciando
out of memory, oom, oomkilled, memory limit, heap | speicher voll, 内存不足, 内存溢出, メモリ不足
memory, ram, heap | speicher, arbeitsspeicher, memoire, memoria, 内存, メモリ, память
leak, memory leak, grows | speicherleck, fuite memoire, fuga de memoria, 内存泄漏, メモリリーク
hang, hung, stuck, freeze, frozen, blocked, stalled | hangen, eingefroren, bloque, colgado, 卡住, 挂起, ハング, 固まる, завис, festgefahren, coince, coincait, atascado, 卡死
flaky, intermittent, random, randomly, sometimes, unstable, sporadic, now and then | sporadisch, manchmal, unzuverlassig, zufallig, instable, intermittente, aleatorio, 偶尔, 不稳定, 間欠的, 不安定, нестабильный, a ratos, a veces, ab und zu, parfois, de temps en temps, 时不时, 有时, 時々, たまに
race, race condition, data race, concurrency, concurrent, thread safety, at once, simultaneously | nebenlaufigkeit, gleichzeitig, wettlauf, concurrence, concurrencia, 竞态, 并发, 競合, 並行, гонка
nil, null, none, undefined, unwrap, optional, missing value | null pointer, 空指针, ヌル
stack trace, stacktrace, traceback, backtrace | stapelspur, 堆栈, スタックトレース
warning, warnings, complaint, complaints, diagnostics, lint | warnung, meldung, avertissement, advertencia, aviso, 警告, предупреждение
corrupt, corrupted, damaged, garbled, mojibake, broken | kaputt, beschadigt, zerstort, corrompu, danado, corrupto, 损坏, 乱码, 破損, 文字化け, поврежден, casse, cassé, roto
encoding, charset, utf-8, utf8, latin-1, latin1, unicode, character set, special characters, non-ascii | kodierung, zeichensatz, sonderzeichen, encodage, codificacion, 编码, 字符集, エンコーディング, 文字コード, кодировка
conflict, conflicting, clash, collide, collision | konflikt, conflit, conflicto, 冲突, 衝突, コンフリクト, конфликт
missing, absent, lacking, not there, lost | fehlend, fehlt, vermisst, manquant, faltante, falta, 缺少, 缺失, 足りない, 不足, отсутствует
leftover, forgotten, stale, obsolete, dead code, legacy, unused | verwaist, vergessen, veraltet, ungenutzt, obsolete, obsoleto, 废弃, 未使用, 古い, устаревший
incident, pager, on-call, alert, alarm, outage | vorfall, storung, alarme, alerta, incidente, 事故, 告警, 报警, アラート, インシデント, инцидент
full, filled, fill, ran out | voll, gefullt, plein, lleno, 满, いっぱい, переполнен
limit, maximum, cap, ceiling, threshold | grenze, obergrenze, hochstens, limite, plafond, tope, 限制, 上限, 制限, лимит, spielraum, marge, margen, 余裕
// speed
slow, slower, sluggish, takes forever, takes long | langsam, trage, dauert, lent, lento, 慢, 缓慢, 遅い, медленно, zah, ewig, lentement, despacio, 很慢, 重い
fast, faster, quick, speed up, sped up, speedup, accelerate, optimise, optimize, optimised, optimized | schnell, schneller, beschleunigen, rapide, accelerer, rapido, acelerar, 加速, 优化, 高速化, 速く, быстрее, ускорить
performance, latency, throughput, speed, response time, p99, p95, wall time, duration, benchmark | leistung, geschwindigkeit, laufzeit, dauer, vitesse, rendimiento, velocidad, 性能, 延迟, 速度, パフォーマンス, 遅延, производительность, задержка
benchmark, measure, measured, measurement, measuring, load test, profile, profiling, flamegraph, bench | messen, messung, gemessen, mesurer, mesure, medir, medicion, 基准测试, 测量, ベンチマーク, 計測, 測定, измерить, замер
load test, stress test, k6, autocannon, traffic, load | lasttest, last, test de charge, prueba de carga, 压力测试, 负载, 負荷テスト, 負荷, нагрузка, simuliert, simule, simuler, simular, 模拟, 模擬
bottleneck, limiting | engpass, goulot, cuello de botella, 瓶颈, ボトルネック, узкое место
cpu, processor, core | prozessor, processeur, procesador, 处理器, プロセッサ
parallel, concurrent, workers, threads | gleichzeitig, parallele, paralelo, 并行, 並列, параллельно
batch, bulk, n+1, one by one
size, big, large, huge, megabytes, mb, gb | grosse, gros, taille, tamano, grande, 大小, サイズ, размер
shrink, smaller, reduce, reduced, decrease, cut down, slim, strip, lower | verkleinern, kleiner, verringern, reduire, diminuer, reducir, disminuir, 缩小, 减少, 小さく, 縮小, 減らす, уменьшить, reduit, reduite
grow, increase, raise, raised, larger, higher, bump | erhohen, vergrossern, augmenter, aumentar, subir, 增加, 提高, 増やす, 上げる, увеличить
lazy, lazily, on demand, only when needed
// building and releasing
ci, pipeline, continuous integration, github actions, workflow, build job, runner | 流水线, 持续集成, パイプライン, конвейер
build, compile, compiled, compiler | bauen, ubersetzen, kompilieren, compiler, construire, compilar, construir, 编译, 构建, ビルド, コンパイル, сборка
binary, executable, artifact, program file | programmdatei, ausfuhrbare datei, binaire, executable, ejecutable, binario, 可执行文件, 二进制, バイナリ, 実行ファイル, бинарник, исполняемый
release, released, version, publish, published, ship, shipped, tag, tagged | veroffentlichen, veroffentlichung, ausliefern, freigabe, publier, sortie, lanzamiento, publicar, 发布, 发行, 版本, リリース, 公開, バージョン, релиз, выпуск
deploy, deployed, deployment, rollout, roll out, rolled out, ship, go live | ausrollen, ausgerollt, bereitstellen, deployen, deployer, deploiement, desplegar, despliegue, 部署, 上线, デプロイ, развертывание, деплой
staging, test environment, stage | testumgebung, preproduction, entorno de pruebas, 测试环境, ステージング
production, prod, live, live system | produktion, produccion, 生产环境, 线上, 本番, продакшн, echtbetrieb, en produccion, en production
revert, reverted, roll back, rolled back, rollback, undo, undone, take back, took back, go back | zurucknehmen, ruckgangig, zuruckgerollt, annuler, revenir, deshacer, revertir, 回滚, 撤销, 还原, 取り消し, 元に戻す, ロールバック, откатить, откат
upgrade, update, updated, bump, bumped, newer version, move to, switch to | aktualisieren, aktualisierung, hochziehen, anheben, mettre a jour, mise a jour, actualizar, actualizacion, 升级, 更新, アップグレード, アップデート, обновить, обновление, neuere version, version plus recente, version mas nueva, 新版, 新版本
dependency, dependencies, package, packages, library, libraries, module, third-party, crate | abhangigkeit, bibliothek, paket, dependance, bibliotheque, paquet, dependencia, biblioteca, paquete, 依赖, 库, 包, 依存, ライブラリ, パッケージ, зависимость, библиотека, пакет
install, installed, installation, setup, fresh install | installieren, installiert, einrichten, installer, instalar, instalacion, 安装, インストール, установить
fresh, new, newly, clean, first launch, first start | neu, frisch, nouveau, nuevo, 全新, 新しい, 新規
docker, container, image, containers, dockerfile, pod, pods | behalter, conteneur, contenedor, 容器, 镜像, コンテナ, контейнер
kubernetes, k8s, cluster, pod, pods, helm, kubectl | 集群, クラスタ, кластер
terraform, infrastructure, infra, infrastructure as code, state | infrastruktur, infraestructura, 基础设施, インフラ, инфраструктура
probe, health check, healthcheck, liveness, readiness | gesundheitsprufung, 健康检查, ヘルスチェック
environment, env, environment variable | umgebung, umgebungsvariable, environnement, entorno, 环境变量, 环境, 環境変数, 環境, окружение
configuration, config, settings, setting, options, preferences | einstellung, einstellungen, konfiguration, reglages, parametres, configuracion, ajustes, 设置, 配置, 設定, настройки, конфигурация
feature flag, flag, toggle, switch, feature switch | schalter, drapeau, interruptor, 开关, 特性开关, フラグ, スイッチ, флаг
cancel, cancelled, canceled, stop, stopped, abort, broke off, broken off, interrupted | abbrechen, abgebrochen, stoppen, annuler, arreter, cancelar, detener, 取消, 中止, 停止, キャンセル, отменить, остановить
log, logs, logging, logfile | protokoll, protokolle, journal, registro, registros, 日志, ログ, лог, журнал
monitor, monitoring, metrics, dashboard, grafana, prometheus | uberwachung, surveillance, tableau de bord, panel, monitoreo, 监控, 仪表盘, 监视, 監視, ダッシュボード, мониторинг
runtime, node, nodejs, node version, engine, engines, jvm, interpreter | laufzeitumgebung, 运行时, ランタイム
toolchain, msrv, rustc, compiler version
platform, operating system, os, windows, linux, macos | betriebssystem, plattform, systeme d exploitation, sistema operativo, 操作系统, オペレーティングシステム
// code
function, method, procedure, routine | funktion, methode, fonction, funcion, 函数, 方法, 関数, メソッド, функция, метод
class, struct, type, actor | klasse, typ, classe, clase, tipo, 类, 类型, クラス, 型, класс, тип
variable, constant, global
parameter, argument, option | argumente, parametre, parametro, 参数, 引数, パラメータ, параметр
module, modules, component, package, file | modul, baustein, 模块, 组件, モジュール, コンポーネント, модуль
file, files, document | datei, dateien, fichier, archivo, fichero, 文件, ファイル, файл, datendatei, archivo de datos, fichier de donnees, 数据文件, データファイル
folder, directory, path | ordner, verzeichnis, pfad, dossier, repertoire, carpeta, directorio, ruta, 文件夹, 目录, 路径, フォルダ, ディレクトリ, パス, папка, каталог
line, lines | zeilen, lignes, lineas
code, source, source code, implementation, logic | quelltext, quellcode, code source, codigo, 代码, 源码, コード, ソース, код
refactor, refactoring, restructure, rewrite, rewritten, rewrote, clean up, tidy | umbauen, umbau, aufraumen, umgeschrieben, refactoriser, reecrire, refactorizar, reescribir, 重构, 重写, リファクタリング, 書き直し, рефакторинг, переписать
rename, renamed, better name, name | umbenennen, umbenannt, renommer, renombrar, 重命名, 改名, 名前変更, 改名, переименовать
merge, merged, join, joined, combine, combined, unite, put together | zusammenfuhren, zusammengefuhrt, zusammengelegt, vereinen, fusionner, fusionar, unir, combinar, 合并, マージ, 統合, 結合, объединить, слить
split, divide, divided, separate, separated, broke up | aufteilen, geteilt, trennen, diviser, separer, dividir, separar, 拆分, 分割, 分离, разделить
replace, replaced, swap, swapped, switch, switched, substitute, instead of, move to | ersetzen, ersetzt, abgelost, ablosen, austauschen, tauschen, remplacer, reemplazar, sustituir, 替换, 取代, 置き換え, 切り替え, заменить
move, moved, relocate, migrate | verschieben, verschoben, umziehen, deplacer, mover, trasladar, 移动, 移動, переместить
add, added, introduce, introduced, create, created, implement, implemented, build, built, wrote, written | hinzufugen, hinzugefugt, erganzen, einbauen, eingebaut, erstellen, erstellt, umsetzen, ajouter, creer, implementer, anadir, agregar, crear, implementar, 添加, 增加, 新增, 创建, 实现, 补上, 追加, 作成, 実装, добавить, создать, реализовать, geschrieben, hinzu
change, changed, modify, modified, edit, edited, alter | andern, geandert, anderung, modifier, changer, cambiar, cambio, modificar, 修改, 更改, 变更, 変更, 修正, изменить
parse, parser, parsing, read, reader, decode | einlesen, lesen, zerlegen, analyser, lire, analizar, leer, 解析, 読む, パース, 解析する, разобрать, парсер
format, formatting, formatter, layout | formatierung, mise en forme, formato, 格式, フォーマット, формат
test, tests, spec, testing, unit test, test case, test suite, checks | prufung, essai, prueba, pruebas, 测试, 单元测试, テスト, тест, testlauf, testlaufe
regression test, covers | regressionstest, 回归测试, 回帰テスト
type check, type checker, mypy, tsc, pyright, static analysis, static checks, typed, annotations | typprufung, statische prufung, verification de types, comprobacion de tipos, 类型检查, 型チェック
registry, package registry, npm, crates.io, pypi | paketverzeichnis, registre, registro de paquetes, 包仓库, レジストリ
mock, stub, fake, fixture | attrappe, 模拟, モック
snapshot, golden file
documentation, docs, readme, manual, guide, write-up, adr | dokumentation, anleitung, handbuch, doku, documentacion, 文档, 说明, ドキュメント, 文書, 説明書, документация
comment, comments, annotation | kommentar, commentaire, comentario, 注释, コメント, комментарий
example, sample | beispiel, exemple, ejemplo, 示例, サンプル, 例, пример
diagram, chart, plot, graph, figure | diagramm, schaubild, schema, diagramme, grafico, diagrama, 图表, 图, グラフ, 図, диаграмма, график, 画, 绘制, 描画, 描く, zeichnen, gezeichnet, dessiner, dibujar, 绘图, нарисовать
design, architecture, structure | entwurf, architektur, aufbau, conception, diseno, 设计, 架构, 設計, アーキテクチャ, архитектура
interface, ui, screen, page, view, window | oberflache, ansicht, bildschirm, seite, ecran, page, pantalla, pagina, vista, 界面, 页面, 屏幕, 画面, ページ, экран, страница
button, menu, form, dialog | knopf, schaltflache, bouton, boton, 按钮, ボタン, кнопка
character, accent, umlaut, special character | zeichen, umlaute, accents, acento, 字符, 文字, символ
web, website, web page, browser | webseite, site web, pagina web, 网页, ウェブ, сайт
icon, logo, image, picture | bild, symbol, image, icono, imagen, 图标, 图片, アイコン, 画像, иконка, logotipo, логотип, ロゴ, 絵柄, イラスト, 图案, dessin, dibujo, zeichnung
dark mode, dark, theme, night mode, colour, color, colors, colours | farbe, dunkel, couleur, sombre, color, oscuro, 颜色, 深色模式, 色, ダークモード, цвет, 暗い, 暗い画面, 夜间, dunkles, fonce, oscura
font, style, css, styling
translation, translate, translated, localise, localize, localisation, localization, i18n, l10n, language, languages, strings | ubersetzung, ubersetzen, ubersetzt, lokalisierung, sprache, traduction, traduire, langue, traduccion, traducir, idioma, 翻译, 本地化, 国际化, 语言, 翻訳, 言語, ローカライズ, перевод, язык
text, string, strings, label, wording, subject, subject line, title | text, beschriftung, betreff, texte, texto, asunto, titulo, 字符串, 文本, 标题, 主题, 文字列, 件名, タイトル, строка, тема
completion, completions, autocomplete, tab completion, shell completion | vervollstandigung, completion, autocompletado, 补全, 自动补全, 補完, автодополнение
shell, bash, zsh, fish, terminal, command line, console, cli | kommandozeile, konsole, ligne de commande, linea de comandos, 命令行, 终端, シェル, 端末, コマンドライン, ターミナル, консоль, командная строка
command, commands, cli | befehl, commande, comando, 命令, コマンド, команда
script, scripts | skript, 脚本, スクリプト, скрипт
json, structured, machine readable, structured output
output, printed, print, result, results | ausgabe, ergebnis, sortie, resultat, salida, resultado, 输出, 结果, 出力, 結果, вывод, результат
input, entered, typed | eingabe, entree, entrada, 输入, 入力, ввод
regex, regular expression, pattern, glob | regularer ausdruck, 正则, 正規表現
search, searcher, find, grep, lookup, look up, ripgrep | suche, suchen, recherche, chercher, busqueda, buscar, 搜索, 查找, 検索, поиск
filter, filtered, prefilter | filtern, filtrer, filtrar, 过滤, フィルタ, фильтр
sort, sorted, order, ordering | sortieren, reihenfolge, trier, ordenar, 排序, ソート, 並び替え, сортировка
case insensitive, ignore case, upper case, lower case, lowercase, uppercase | gross- und kleinschreibung, kleinbuchstaben, minuscules, mayusculas, 大小写, 大文字小文字
typo, misspelling, spelling, misspelled, mistyped | tippfehler, schreibfehler, faute de frappe, errata, 拼写错误, 笔误, 誤字, タイプミス, опечатка
date, time, timestamp, timestamps, timezone, time zone, clock | datum, uhrzeit, zeitstempel, zeitzone, date, heure, fecha, hora, 日期, 时间戳, 时区, 日付, 時刻, タイムゾーン, дата, время
number, count, amount, how many | anzahl, zahl, nombre, numero, cantidad, 数量, 多少, 数, количество
rounding, precision, decimal, float, cents | rundung, genauigkeit, arrondi, redondeo, precision, 精度, 舍入, 丸め, точность
accuracy, precision, precise, exact | genauigkeit, precision, exactitud, 精确度, 精度, точность
average, averages, mean, aggregate, aggregation, sum, rollup | durchschnitt, mittelwert, aggregation, moyenne, promedio, media, 平均, 聚合, 集計, среднее
dataframe, pandas, polars, data frame
csv, spreadsheet, parquet, excel
// git and people
commit, committed, commits | einchecken, commite, confirmar, 提交, コミット, коммит
push, pushed | hochschieben, pousser, 推送, プッシュ, пуш
branch, branches, worktree | zweig, branche, rama, 分支, ブランチ, ветка
pull request, pr, merge request, code review, review | anfrage zum zusammenfuhren, demande de fusion, 合并请求, 评审, プルリクエスト, レビュー, ревью
rebase, cherry pick, cherry-picked, amend, amended, squash
history, git log, past, old commits | verlauf, historie, historique, historial, 历史, 履歴, история
issue, ticket, bug report, task | meldung, ticket, 工单, 课题, チケット, 課題, задача, тикет
changelog, release notes | anderungsprotokoll, notas de version, 更新日志, 変更履歴
sub-agent, subagent, delegate, delegated, assistant | hilfsagent, unteragent, sous-agent, subagente, 子代理, サブエージェント
decide, decided, decision, choose, chose, chosen, pick, picked, option, options, alternative | entscheiden, entschieden, entscheidung, auswahl, decider, decision, choisir, decidir, decidimos, elegir, 决定, 选择, 決定, 決めた, 選択, решили, решение, выбрать
plan, planned, idea, ideas, proposal, propose, suggest | vorhaben, idee, vorschlag, idee, proposition, idea, propuesta, 计划, 想法, 建议, 計画, 提案, アイデア, план, идея
estimate, effort | aufwand, schatzung, estimation, estimacion, esfuerzo, 估计, 工作量, 見積もり, 工数, оценка
todo, left, remaining, open, unfinished, not done, still to do | offen, ubrig, noch zu tun, reste, pendiente, 待办, 剩余, 残り, 未完了, осталось
finish, finished, complete, completed, done | fertig, erledigt, abgeschlossen, termine, fini, terminado, acabado, 完成, 完了, 終了, завершить, готово
begin, begun, start, started, launch, launched | beginnen, angefangen, gestartet, starten, commencer, demarrer, empezar, iniciar, arrancar, 开始, 启动, 開始, 起動, начать, запуск
wait, waiting, waits, pending, blocked | warten, wartet, attendre, esperar, 等待, 待つ, ждать
turn on, enable, enabled, switch on, activate, activated | einschalten, aktivieren, aktiviert, activer, activar, habilitar, 启用, 打开, 有効, включить
turn off, disable, disabled, switch off, deactivate, deactivated | ausschalten, abschalten, deaktivieren, desactiver, desactivar, deshabilitar, 禁用, 关闭, 無効, выключить
allow, permit, support, supported | erlauben, unterstutzen, autoriser, permitir, soportar, 允许, 支持, 許可, 対応, разрешить, поддержка
check, checked, verify, verified, validate, inspect, look at, scan, audit | prufen, gepruft, uberprufen, kontrollieren, verifier, controler, comprobar, verificar, revisar, 检查, 验证, 確認, チェック, 検証, проверить
explain, document, describe | erklaren, beschreiben, expliquer, explicar, 解释, 説明, объяснить, erlautern
user, users, people, customer, customers, person | nutzer, benutzer, anwender, kunde, kunden, utilisateur, client, usuario, cliente, gente, 用户, 客户, 人, ユーザー, 顧客, お客様, пользователь, клиент
team, colleague, colleagues, somebody | kollege, kollegen, equipe, equipo, 团队, 同事, チーム, команда
merchant, seller, vendor, shop, store | handler, verkaufer, laden, marchand, boutique, comerciante, tienda, 商家, 商店, 店, ショップ, магазин
office, company, work network, corporate | buro, firma, bureau, oficina, 办公室, 公司, オフィス, 会社, офис
home, at home | zu hause, zuhause, maison, casa, 家里, 自宅, дома
laptop, computer, machine, workstation, vm | rechner, maschine, ordinateur, machine, ordenador, computadora, maquina, 电脑, 机器, 笔记本, パソコン, マシン, компьютер, машина, notebook, portatil, portable, rechnerin, pc
phone, mobile, smartphone, iphone, device, handset, app | handy, telefon, gerat, telephone, portable, movil, telefono, celular, 手机, 设备, スマホ, 携帯, 端末, телефон
watch, wearable, apple watch, smartwatch | uhr, armband, montre, reloj, 手表, 腕時計, 時計, часы
tablet, screen
// business
pay, paid, payment, payments, charge, charged, bill, billed, billing, debit | zahlung, bezahlen, zahlen, abgebucht, belastet, paiement, payer, facture, pago, pagar, cobrar, cobro, 支付, 付款, 扣款, 支払い, 決済, 課金, оплата, платеж, списали
refund, refunds, refunded, money back, money-back, reimburse, chargeback, give back | ruckerstattung, erstattung, geld zuruck, remboursement, rembourser, reembolso, devolucion, 退款, 返金, возврат
invoice, invoices, bill, bills, receipt | rechnung, rechnungen, facture, factura, recibo, 发票, 账单, 請求書, 領収書, счет
price, prices, pricing, cost, amount, total, totals, sum | preis, preise, kosten, betrag, summe, prix, montant, cout, precio, coste, importe, 价格, 金额, 费用, 価格, 金額, 料金, цена, стоимость
currency, euro, eur, usd, chf, dollar, money | wahrung, geld, devise, monnaie, argent, moneda, dinero, 货币, 通貨, お金, валюта, деньги
tax, taxes, vat, duty | steuer, steuern, mehrwertsteuer, taxe, impot, impuesto, iva, 税, 税金, 消費税, налог
discount, coupon, voucher, promotion | rabatt, gutschein, remise, descuento, cupon, 折扣, 优惠, 割引, クーポン, скидка
order, orders, purchase, checkout, cart, basket | bestellung, bestellungen, warenkorb, kasse, auftrag, commande, panier, pedido, compra, carrito, 订单, 购物车, 结账, 注文, カート, 購入, заказ, корзина, kauf, kaufe, einkauf, achat, achats, compras, 购买, 下单, 買い物
shipping, delivery, deliver, delivered, send, sent | versand, lieferung, zustellen, livraison, envio, entrega, 发货, 送货, 配送, 配達, доставка
stock, inventory, warehouse | lagerbestand, bestand, inventario, existencias, 库存, 在庫, склад
subscription, plan, renewal | abo, abonnement, suscripcion, 订阅, サブスクリプション, подписка
email, mail, e-mail, newsletter | post, courriel, correo, 邮件, 电子邮件, メール, письмо, почта, письме, письмо
account, profile, sign up, signup, register, registration, onboarding | konto, registrierung, registrieren, compte, inscription, cuenta, registro, 账户, 注册, アカウント, 登録, аккаунт, регистрация
ledger, accounting, bookkeeping, books | buchhaltung, kontobuch, comptabilite, contabilidad, 账本, 会计, 帳簿, 会計, бухгалтерия
report, reporting, statistics, stats | bericht, auswertung, statistik, rapport, informe, estadistica, 报告, 报表, 统计, レポート, 統計, отчет, статистика
map, maps, tile, tiles | karte, karten, carte, mapa, 地图, 地図, карта
region, regions, area, areas, zone | gebiet, gebiete, bereich, zone, region, zona, 区域, 地区, 地域, エリア, область, регион
location, position, gps, track, tracks, tracking, gpx, route | standort, ort, strecke, emplacement, piste, ubicacion, ruta, 位置, 轨迹, 路线, 位置情報, 経路, местоположение, маршрут
hike, hiking, walk, trail, trip, tour | wanderung, wandern, randonnee, caminata, excursion, 徒步, 远足, ハイキング, поход
battery, power, energy, charge, drain | akku, batterie, strom, bateria, energia, 电池, 电量, 耗电, バッテリー, 電池, батарея
speed, velocity | geschwindigkeit, vitesse, velocidad, 速度, スピード, скорость
adaptive, dynamic, depending on, automatic, automatically | abhangig, automatisch, dynamisch, adaptatif, automatique, adaptativo, automatico, 自适应, 自动, 動的, 自動, автоматически
record, recording, capture | aufzeichnen, aufnehmen, enregistrer, grabar, 记录, 录制, 記録, 録画, запись
sensor, station, stations, site, probe, measuring point | messstation, messstationen, messstelle, capteur, estacion, 站点, 测站, 传感器, 観測所, ステーション, センサー, станция, датчик
reading, readings, measurement, measurements, values, data points, observation | messwert, messwerte, werte, lecture, mesures, lectura, lecturas, mediciones, 读数, 测量值, 測定値, 値, показания
weather, temperature, rain, forecast | wetter, temperatur, meteo, temps, clima, tiempo, 天气, 温度, 天気, 気温, погода, 气温, 気象, temperature, temperaturen, температура
gap, hole, missing data | lucke, trou, hueco, 缺口, 欠損, пробел
list, lists, overview | liste, ubersicht, lista, resumen, 列表, 清单, リスト, 一覧, список
plugin, plugins, extension, add-on, addon | erweiterung, zusatz, greffon, extension, complemento, 插件, プラグイン, плагин
ai, model, llm, assistant, agent | modell, assistent, modele, modelo, asistente, 模型, 助手, モデル, アシスタント, модель
leading zero, padding, prefix
zero, empty, blank | leer, null, vide, zero, vacio, cero, 空, 零, ゼロ, пустой
old, legacy, previous, former | alt, alte, fruher, ancien, viejo, antiguo, anterior, 旧, 以前, 古い, старый, uralt, vetuste, 老, 旧的
night, nightly, overnight | nacht, nachts, nuit, noche, 夜, 晚上, 夜間, ночь
morning | fruh, morgens, matin, manana, 早上, 上午, 朝, утро
week | woche, wochen, semaine, semana, 周, 星期, 週, неделя, 一周
hour, hours, hourly | stunde, stunden, heure, hora, horas, 小时, 時間, час
`;
