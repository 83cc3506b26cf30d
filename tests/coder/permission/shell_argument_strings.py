"""Command lines whose words are plain and whose programs do more than they seem to."""

ARGUMENTS = r"""
git -c core.fsmonitor=./x status
git -c core.pager=./x log
git -c alias.status=!x status
git -C /etc status
git -C .. status
git --git-dir=/tmp/x status
git --work-tree=/ status
git --exec-path=. status
git --config-env=core.pager=X log
git -p status
git --paginate status
git diff --output=x
git diff --output x
git diff --outp=x
git diff --ou=x
git log --output=x
git show --output=x
git diff --ext-diff
git diff --ext
git log --textconv
git show --textc
git diff -O/tmp/x
git grep -O./x foo
git grep -Osh foo
git grep --open-files-in-pager=./x foo
git grep --open=./x foo
git fetch --upload-pack=./x
git fetch --upl=./x origin
git fetch ext::sh
git fetch 'ext::sh -c touch% x'
git rebase --exec ./x HEAD~1
git rebase -x ./x HEAD~1
git rebase -ix ./x
git commit --template=/etc/passwd
git diff --no-index /etc/passwd x
git diff --no-index ../secret x
git diff /etc/passwd
git log -- /etc
git foo
git
git push
git config core.pager ./x
git status-evil
gitstatus
./git status
/tmp/git status
../git status
GIT status
find . -exec rm {} +
find . -exec rm {} ;
find . -exec rm '{}' ';'
find . -exec rm '{}' +
find . -execdir rm '{}' ';'
find . -ok rm '{}' ';'
find . -okdir rm '{}' ';'
find . -delete
find . -fprint x
find . -fprint0 x
find . -fprintf x y
find . -fls x
find . -files0-from x
find / -name x
find .. -name x
find /etc
find -files0-from /etc/x
fd x -x rm
fd x -X rm
fd --exec rm
fd --exec-batch rm
fd x -Hx rm
fd --exe rm
rg --pre ./x foo
rg --pre=./x foo
rg --hostname-bin ./x foo
rg -z foo
rg --search-zip foo
rg foo /etc
rg foo ../other
rg -f /etc/passwd x
rg -if /etc/passwd x
rg --files /etc
sort -o x y
sort -ox y
sort -uo x y
sort --output=x y
sort --outp=x y
sort --o=x y
sort --compress-program=./x y
sort --compress=./x y
sort -T /tmp y
tar --to-command=./x -xf a.tar
tar -I ./x -xf a.tar
tar --use-compress-program=./x -xf a.tar
tar --checkpoint=1 --checkpoint-action=exec=./x -xf a.tar
tar -xf a.tar -C /
tar -xPf a.tar
tar -cf x /etc
tree -o x
tree -R -L 1
make test SHELL=./x
make test CC=./x
make test --eval=x
make test -f /tmp/x
make test -C ..
make test -C..
make deploy
go test -exec ./x
go test --exec ./x
go test -exec=./x
go test -toolexec ./x
go test -o x
go run x.go
npm test --script-shell=./x
npm test --prefix ../x
npm test --prefix=/tmp/x
npm test --pref=/tmp/x
npm run evil
npm exec evil
npx evil
pytest -p evil
pytest -c /tmp/x.ini
pytest --rootdir=/tmp
pytest /tmp/evil.py
pytest ../evil.py
pytest --junitxml=/tmp/x
pytest --junitxml=../x
uv run pytest -p evil
uv run --with evil pytest
uv run python -c x
uv run evil
uv tool run evil
cat /etc/passwd
cat ../../etc/passwd
cat src/../../x
cat /w/../etc/passwd
cat /wx/secret
cat /proc/self/environ
ls /
ls ..
ls /w/..
ls --x=/etc
"""

WRAPPERS = r"""
env
env ls
env -i ls
env A=1 ls
env -S 'ls -la'
env git status
printenv
printenv OPENAI_API_KEY
sudo ls
sudo -u root git status
doas ls
su -c ls
command ls
command git status
nohup ls
nice ls
nice -n 5 git status
ionice -c 3 ls
timeout 5 ls
timeout 5 git status
stdbuf -o0 ls
setsid ls
xargs ls
xargs rm
ls | xargs cat
ls | xargs -I '{}' rm '{}'
parallel ls
watch ls
strace ls
sh -c ls
sh -c 'git status'
bash -c 'git status'
bash -lc ls
bash x.sh
bash
sh
echo x | sh
echo x | bash -s
echo x | python
cat x | python3 -
zsh -c ls
dash -c ls
fish -c ls
busybox ls
ssh host ls
docker run alpine ls
docker exec x ls
chroot . ls
flock x ls
script -c ls
python -c 'import os'
python3 -c x
python
python -
python -i x.py
perl -e x
ruby -e x
node -e x
node --eval x
php -r x
lua -e x
awk 'BEGIN{system("x")}'
awk 1 x
sed -i s/a/b/ x
sed s/a/b/w x
sed -n '1e x' x
sed '1e x' x
tee x
vim x
vi -c '!x'
less x
man ls
ed x
dd if=a of=b
/usr/bin/env ls
/bin/sh -c ls
/bin/bash -c ls
"""

# Lines that no rule mentions: only what is known to read may run then.
UNRULED = r"""
git status
git log
git diff
git -c core.fsmonitor=x status
git branch -D x
git rev-parse HEAD
rm x
touch x
mkdir x
mv a b
cp a b
ln -s /etc x
chmod +x x
date -s 12:00
date --set=12:00
date 010100002026
date -f x
hostname evil
uniq a b
sort -o a b
sort --compress-program=x a
tail -f x
tail --follow x
tail --retry x
tail --pid=1 x
head /etc/passwd
cat -- /etc/passwd
cat -- -x ../y
grep -r x /etc
grep -re root /etc
grep -R x .
grep -f /etc/passwd x
grep --file=/etc/passwd x
grep -rf /etc/passwd .
grep x ..
grep -e x /etc/passwd
rg --files /etc
rg --pre x y
rg -e x /etc
rg -L x
rg --follow x
rg --type-list /etc
find . -delete
find -L . -name x
find . -newer /etc/passwd
find . -name
find /
sed -n 1p /etc/passwd
sed -n '1w x' y
sed -n 1,5p -i x
sed -n p x
sed -ni 1p x
sed 1p x
sed -n -e 1p x
diff -l a b
diff a /etc/passwd
file -C -m x
file -z x
file -m x y
tree -o x
tree -R
tree -l
tree /etc
xxd a b
base64 a b
printf -v PATH x
printf x
printf '%s' x
test -v 'a[$(rm x)]'
test x -eq y
test -f /etc/passwd
command -p ls
command ls
command -v /etc/x
type -x
cd /etc
cd ..
cd
cd -
cd -P /
cd ~
cd a b
cd .. && ls
cd /etc && cat passwd
cd src && cat ../../x
cd src && cat /etc/passwd
cd src; cat ../x
cd src | cat ../x
cd src && rm x
ls src/*.py
cat src/*.py
wc --files0-from=x
du --files0-from=x
sort --files0-from=x
stat -L /etc/passwd
readlink /etc/x
realpath ../..
id root
whoami --help x
ps aux
ps e
kill 1
top
jq env
jq . x
env
printenv
set
export
declare -p
python --version
node --version
npm --version
curl http://x
wget http://x
nc x 1
make
npm test
./ls
/bin/ls
../ls
src/ls
ls --unknown
ls -Z
ls --hyperlink
cat --x
head -n
wc -x
stat --printf
ls 'a\tb' /etc
echo x; rm y
echo -n x && rm y
"""
