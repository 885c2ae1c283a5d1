create table province(name text primary key, seat text, area real, people int, realm text);
create table town(town_id integer primary key, name text, province text, people int);
create table stream(name text primary key, length int);
create table course(stream text, province text, primary key(stream, province));
create table frontier(province text, neighbour text, primary key(province, neighbour));
create table peak(peak_id integer primary key, name text, height int, province text);
insert into province values('Nord','Elm',900,50,'union'),('Sund','Oak',100,70,'union'),('Vest','Ash',400,20,'union');
insert into town values(1,'Elm','Nord',9),(2,'Elm','Sund',4),(3,'Oak','Sund',30),(4,'Fir','Vest',30);
with recursive n(i) as (select 5 union all select i + 1 from n where i < 260)
insert into town select i, 'Place ' || i, 'Vest', 1 from n;
insert into stream values('Till',40),('Wear',90),('Nord',10);
insert into course values('Till','Nord'),('Till','Sund'),('Wear','Sund'),('Nord','Sund');
insert into frontier values('Nord','Sund'),('Sund','Nord'),('Sund','Vest'),('Vest','Sund');
insert into peak values(1,'High Top',900,'Nord'),(2,'Grey Top',500,'Vest');
